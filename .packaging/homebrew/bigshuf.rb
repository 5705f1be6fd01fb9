class Bigshuf < Formula
  desc "Shuffle the lines of files larger than memory"
  homepage "@URL@"
  url "@URL@/bigshuf-1.0.0.tar.gz"
  sha256 "@SHA256@"
  license "MIT"

  depends_on "make" => :build # GNU make 4, whose name there is gmake on macOS

  def install
    make = OS.mac? ? "gmake" : "make"
    system make
    system make, "install", "prefix=#{prefix}"
    system make, "installcheck", "prefix=#{prefix}"
  end

  test do
    assert_equal "10 5 9 3 2 4 8 7 6 1", shell_output("#{bin}/bigshuf --seed=42 -i 1-10").split.join(" ")
  end
end
