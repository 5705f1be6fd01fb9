{ lib, stdenv, fetchurl }:

stdenv.mkDerivation (finalAttrs: {
  pname = "bigshuf";
  version = "1.0.0";

  src = fetchurl {
    url = "@URL@/bigshuf-${finalAttrs.version}.tar.gz";
    sha256 = "@SHA256@";
  };

  makeFlags = [ "prefix=${placeholder "out"}" ];
  enableParallelBuilding = true;

  doInstallCheck = true; # make installcheck

  meta = {
    description = "Shuffle the lines of files larger than memory";
    license = lib.licenses.mit;
    platforms = lib.platforms.unix;
    mainProgram = "bigshuf";
  };
})
