#!/bin/bash
#
# Shuffle the objects of a bucket with array jobs of AWS Batch: aws-batch.sh IN STORE OUT PARTS
#
# IN, STORE and OUT are paths as in bucket.sh, which the jobs run: s3:data/corpus, s3:data/store, s3:data/out. The job
# definition `shuffle` has an image with bigshuf, rclone and bucket.sh; `main` is a job queue. An array job has 2 to 10,000
# tasks.

set -euo pipefail

in=$1 store=$2 out=$3 parts=$4
n=$(bucket.sh list "$in" "$store")
scatter=$(aws batch submit-job --job-name=scatter --job-queue=main --job-definition=shuffle \
    --array-properties=size="$n" --container-overrides=command="bucket.sh,scatter,$in,$store" \
    --query=jobId --output=text)
aws batch submit-job --job-name=gather --job-queue=main --job-definition=shuffle \
    --array-properties=size="$parts" --container-overrides=command="bucket.sh,gather,$store,$out,$parts" \
    --depends-on=jobId="$scatter"
