#!/usr/bin/env node
// DuckDB's library as its command line: duckdb.mjs -c "STATEMENT; ...", or --version. npm has it for every machine.
import { DuckDBInstance, version } from '@duckdb/node-api'

if (process.argv[2] === '--version') {
    console.log(version())
} else {
    const connection = await (await DuckDBInstance.create()).connect()
    await connection.run(process.argv[3])
}
