// Paths in which others have a hand: their links, their FIFOs and files that they could not read themselves are not opened.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "core/files/checked_path.h"
#include "test/check.h"
#include "test/temporary_folder.h"

using namespace faultline;

namespace {

// "" where it was opened, else why not.
std::string opened(const std::string& path, Purpose purpose = Purpose::read) {
  Refused refused;
  const int fd = open_checked(path, purpose, refused);
  if (fd >= 0) ::close(fd);
  switch (refused.why) {
    case Refusal::none: return fd >= 0 ? "" : "nothing said";
    case Refusal::system: return refused.reason.substr(refused.reason.rfind(": ") + 2);
    case Refusal::link: return "link";
    case Refusal::reader: return "reader";
    case Refusal::kind: return "kind";
    case Refusal::owner: return "owner";
  }
  return "?";
}

void shared(const TemporaryFolder& tree, const std::string& name, mode_t mode) {
  ::mkdir(tree.path(name).c_str(), 0755);
  ::chmod(tree.path(name).c_str(), mode);
}

}  // namespace

int main() {
  ::umask(022);
  checks::test("in folders that no other user may write, links are followed", [] {
    const TemporaryFolder tree;
    tree.write("runs/7/train.log", "step 1\n");
    ::symlink("7", tree.path("runs/latest").c_str());
    ::symlink(tree.path("runs/latest/train.log").c_str(), tree.path("log").c_str());
    ::symlink("log", tree.path("again").c_str());
    ::symlink("loop", tree.path("loop").c_str());
    CHECK_EQ(opened(tree.path("again")), "");
    CHECK_EQ(opened(tree.path("runs/../runs/./latest//train.log")), "");
    CHECK_EQ(opened(tree.path("loop")), "Too many levels of symbolic links");
    CHECK_EQ(opened(tree.path("none/train.log")), "No such file or directory");
    CHECK_EQ(opened(tree.path("again/x")), "Not a directory");
    CHECK_EQ(opened(tree.path("runs")), "kind");
    CHECK_EQ(opened(""), "kind");
  });

  checks::test("a link in a folder that others may write is not followed, wherever on the path it is", [] {
    for (const mode_t mode : {01777, 0777, 0775}) {
      const TemporaryFolder tree;
      tree.write("secret/key", "x");
      shared(tree, "jobs", mode);
      // A group of root's own is not a stranger's.
      if (mode == 0775 && ::chown(tree.path("jobs").c_str(), -1, ::getegid() == 0 ? 100 : ::getegid()) != 0) continue;
      ::chmod(tree.path("jobs").c_str(), mode);
      tree.write("jobs/mine/deep/file", "x");
      ::symlink("../secret/key", tree.path("jobs/file").c_str());
      ::symlink("../secret", tree.path("jobs/folder").c_str());
      ::symlink("../../secret/key", tree.path("jobs/mine/file").c_str());
      CHECK_EQ(opened(tree.path("jobs/file")), "link");
      CHECK_EQ(opened(tree.path("jobs/folder/key")), "link");
      CHECK_EQ(opened(tree.path("jobs/folder"), Purpose::folder), "link");
      // Ours: in a sticky folder only we could put it there; in another one anybody may have moved it.
      CHECK_EQ(opened(tree.path("jobs/mine/file")), (mode & S_ISVTX) != 0 ? "" : "link");
      CHECK_EQ(opened(tree.path("jobs/mine/deep/file")), "");
      // A link of ours that leads through theirs.
      ::symlink("jobs/folder", tree.path("via").c_str());
      CHECK_EQ(opened(tree.path("via/key")), "link");
    }
  });

  checks::test("what is ours and shut is not read by a name that others may have given to it", [] {
    const TemporaryFolder tree;
    shared(tree, "jobs", 01777);
    tree.write("jobs/shut", "x");
    tree.write("jobs/open", "x");
    ::chmod(tree.path("jobs/shut").c_str(), 0640);
    CHECK_EQ(opened(tree.path("jobs/shut")), "reader");
    CHECK_EQ(opened(tree.path("jobs/open")), "");
    tree.write("key", "x");
    ::chmod(tree.path("key").c_str(), 0600);
    CHECK_EQ(::link(tree.path("key").c_str(), tree.path("jobs/hard").c_str()), 0);
    CHECK_EQ(opened(tree.path("jobs/hard")), "reader");
    CHECK_EQ(opened(tree.path("key")), "");
  });

  checks::test("a FIFO, a device and a folder are not read, and the caller does not wait for them", [] {
    const TemporaryFolder tree;
    ::mkfifo(tree.path("fifo").c_str(), 0666);
    CHECK_EQ(opened(tree.path("fifo")), "kind");
    CHECK_EQ(opened("/dev/null"), "kind");
    CHECK_EQ(opened("/dev/null", Purpose::kernel_log), "");
    CHECK_EQ(opened(tree.path("fifo"), Purpose::ask), "No such device or address");
    const int reader = ::open(tree.path("fifo").c_str(), O_RDONLY | O_NONBLOCK);
    CHECK_EQ(opened(tree.path("fifo"), Purpose::ask), "");
    CHECK_EQ(opened(tree.path("fifo"), Purpose::write), "");  // ours, in a folder that only we write
    ::close(reader);
    tree.write("file", "x");
    CHECK_EQ(opened(tree.path("file"), Purpose::ask), "kind");
  });

  checks::test("a file to write is new, or a regular one of our own", [] {
    const TemporaryFolder tree;
    shared(tree, "tmp", 01777);
    tree.write("victim", "x");
    ::symlink("../victim", tree.path("tmp/link").c_str());
    ::symlink("../none", tree.path("tmp/dangling").c_str());
    ::mkfifo(tree.path("tmp/fifo").c_str(), 0666);
    CHECK_EQ(::link(tree.path("victim").c_str(), tree.path("tmp/hard").c_str()), 0);
    CHECK_EQ(opened(tree.path("tmp/link"), Purpose::write), "link");
    CHECK_EQ(opened(tree.path("tmp/dangling"), Purpose::write), "link");
    CHECK_EQ(opened(tree.path("tmp/fifo"), Purpose::write), "kind");
    CHECK_EQ(opened(tree.path("tmp/hard"), Purpose::write), "owner");
    CHECK_EQ(opened(tree.path("tmp/new"), Purpose::write), "");
    CHECK_EQ(opened(tree.path("tmp/new"), Purpose::write), "");
    CHECK_EQ(opened(tree.path("none/new"), Purpose::write), "No such file or directory");
    ::symlink("made", tree.path("own").c_str());
    CHECK_EQ(opened(tree.path("own"), Purpose::write), "");
    CHECK_EQ(::access(tree.path("made").c_str(), F_OK), 0);
    CHECK(::access(tree.path("none").c_str(), F_OK) != 0);
  });

  checks::test("our own descriptors are reached by name, other roots without links", [] {
    CHECK_EQ(opened("/dev/stdout", Purpose::write), "");
    const TemporaryFolder tree;
    tree.write("a/file", "x");
    ::symlink("a", tree.path("link").c_str());
    const std::string root = "/proc/" + std::to_string(::getpid()) + "/root";
    CHECK_EQ(opened(root + tree.path("a/file")), "");
    CHECK_EQ(opened(root + tree.path("link/file")), "link");
    CHECK_EQ(opened(root + tree.path("a/../a/file")), "link");
  });

  checks::test("beneath a folder that is open files are opened by name alone", [] {
    const TemporaryFolder tree;
    tree.write("a/file", "x");
    CheckedFolder folder;
    Refused refused;
    CHECK(folder.enter(tree.path("a"), refused));
    ::rename(tree.path("a").c_str(), tree.path("b").c_str());
    const int fd = folder.open("file", Purpose::read, refused);
    CHECK(fd >= 0);
    ::close(fd);
    CHECK(!folder.enter(tree.path("a"), refused));
    CHECK_EQ(refused.error, ENOENT);
  });
  return checks::result();
}
