{ lib, stdenv, fetchurl }:

stdenv.mkDerivation (finalAttrs: {
  pname = "bigshuf";
  version = "0.3.0";

  src = fetchurl {
    url = "@URL@/bigshuf-${finalAttrs.version}.tar.gz";
    sha256 = "@SHA256@";
  };

  makeFlags = [ "prefix=${placeholder "out"}" ];
  enableParallelBuilding = true;

  doInstallCheck = true;
  installCheckPhase = ''
    test "$($out/bin/bigshuf --seed=42 -i 1-10 | paste -s -d ' ' -)" = '10 5 9 3 2 4 8 7 6 1'
  '';

  meta = {
    description = "Shuffle the lines of files larger than memory";
    license = lib.licenses.mit;
    platforms = lib.platforms.unix;
    mainProgram = "bigshuf";
  };
})
