// Files by paths in which others may have a hand, as JavaScript sees them.
#include "addon/checked_files.h"

#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "core/files/checked_path.h"
#include "core/files/give_to.h"

namespace faultline {
namespace {

constexpr const char* kWhys[] = {"", "system", "link", "reader", "kind", "owner"};

bool purpose_of(const std::string& name, Purpose& purpose) {
  if (name == "read") return purpose = Purpose::read, true;
  if (name == "folder") return purpose = Purpose::folder, true;
  if (name == "ask") return purpose = Purpose::ask, true;
  if (name == "write") return purpose = Purpose::write, true;
  return false;
}

// The user of the process that named the path, then its groups.
bool ids_of(const Napi::Value& value, Named& named) {
  if (value.IsUndefined()) return true;
  if (!value.IsArray()) return false;
  const auto list = value.As<Napi::Array>();
  for (std::uint32_t i = 0; i < list.Length(); ++i) {
    const Napi::Value id = list.Get(i);
    if (!id.IsNumber()) return false;
    if (i == 0) named.user = id.As<Napi::Number>().Uint32Value();
    else named.groups.push_back(id.As<Napi::Number>().Uint32Value());
  }
  return list.Length() > 0;
}

class Job final : public Napi::AsyncWorker {
 public:
  Job(Napi::Function done, std::string path, Purpose purpose, Named named)
      : AsyncWorker(done, "faultline checked file"), path_(std::move(path)), purpose_(purpose), named_(std::move(named)) {}
  ~Job() override {
    if (fd_ >= 0) ::close(fd_);
  }

  void Execute() override {
    if (purpose_ != Purpose::folder) {
      fd_ = open_checked(path_, purpose_, refused_, named_);
      return;
    }
    CheckedFolder folder;
    folder.enter(path_, refused_, named_);
  }

  std::vector<napi_value> GetResult(Napi::Env env) override {
    const bool open = refused_.why == Refusal::none;
    const int number = refused_.why == Refusal::system ? -refused_.error : open ? std::exchange(fd_, -1) : -1;
    return {Napi::String::New(env, kWhys[static_cast<int>(refused_.why)]), Napi::String::New(env, refused_.reason),
            Napi::String::New(env, refused_.where), Napi::Number::New(env, number)};
  }

 private:
  const std::string path_;
  const Purpose purpose_;
  const Named named_;
  Refused refused_;
  int fd_ = -1;
};

}  // namespace

Napi::Value OpenChecked(const Napi::CallbackInfo& info) {
  Purpose purpose = Purpose::read;
  const bool given = info.Length() >= 3 && info[0].IsString() && info[1].IsString() && info[2].IsFunction() &&
                     purpose_of(info[1].As<Napi::String>(), purpose);
  std::string path = given ? info[0].As<Napi::String>() : std::string();
  // A NUL inside would silently name another file.
  Named named;
  if (given && path.find('\0') == std::string::npos && (info.Length() < 4 || ids_of(info[3], named))) {
    (new Job(info[2].As<Napi::Function>(), std::move(path), purpose, std::move(named)))->Queue();  // ends itself
  } else {
    Napi::TypeError::New(info.Env(), "openChecked(path: string, purpose, done: (why, text, where, fd) => void, namedBy?)")
        .ThrowAsJavaScriptException();
  }
  return info.Env().Undefined();
}

Napi::Value PlacersOfFolder(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (info.Length() < 1 || !info[0].IsString()) {
    Napi::TypeError::New(env, "placersOfFolder(path: string)").ThrowAsJavaScriptException();
    return env.Undefined();
  }
  std::string path = info[0].As<Napi::String>();
  const std::size_t whole = path.size();
  CheckedFolder folder;
  Refused refused;
  bool there = folder.enter(path, refused);
  // What is not there yet is made by whoever owns the folder that it will lie in.
  const auto missing = [&] { return refused.error == ENOENT || refused.why == Refusal::kind; };
  while (!there && missing() && path.size() > 1) {
    const std::size_t slash = path.rfind('/');
    path = slash == std::string::npos ? "." : path.substr(0, std::max<std::size_t>(slash, 1));
    refused = {};
    there = folder.enter(path, refused);
    if (path == ".") break;
  }
  // A folder that we make in a sticky one stays where we made it.
  const bool sticky = there && path.size() < whole && (folder.status().st_mode & S_ISVTX) != 0;
  const Placers all = !there ? Placers{} : sticky ? folder.placers() : folder.writers();
  auto users = Napi::Array::New(env);
  for (std::size_t i = 0; i < all.users.size(); ++i) users.Set(i, Napi::Number::New(env, all.users[i]));
  Napi::Object found = Napi::Object::New(env);
  found.Set("users", users);
  found.Set("shared", Napi::Boolean::New(env, all.anybody || !all.groups.empty()));
  found.Set("group", Napi::Number::New(env, there ? folder.status().st_gid : 0));
  found.Set("folder", Napi::String::New(env, there ? folder.path() : path));
  // What the system says is found out by whoever uses the folder.
  const bool ours = refused.why == Refusal::link || refused.why == Refusal::reader;
  found.Set("reason", Napi::String::New(env, ours ? refused.reason : ""));
  return found;
}

Napi::Value GiveTo(const Napi::CallbackInfo& info) {
  if (info.Length() < 3 || !info[0].IsString() || !info[1].IsNumber() || !info[2].IsNumber()) {
    Napi::TypeError::New(info.Env(), "giveTo(path: string, user: number, group: number)").ThrowAsJavaScriptException();
    return info.Env().Undefined();
  }
  const auto id = [&](int at) { return info[static_cast<std::size_t>(at)].As<Napi::Number>().Uint32Value(); };
  return Napi::Boolean::New(info.Env(), give_to(info[0].As<Napi::String>(), id(1), id(2)));
}

Napi::Value LockFile(const Napi::CallbackInfo& info) {
  if (info.Length() < 1 || !info[0].IsNumber()) {
    Napi::TypeError::New(info.Env(), "lockFile(fd: number)").ThrowAsJavaScriptException();
    return info.Env().Undefined();
  }
  const int fd = info[0].As<Napi::Number>().Int32Value();
  const bool held = ::flock(fd, LOCK_EX | LOCK_NB) == 0;
  if (!held && errno != EWOULDBLOCK) {
    Napi::Error::New(info.Env(), std::strerror(errno)).ThrowAsJavaScriptException();
    return info.Env().Undefined();
  }
  return Napi::Boolean::New(info.Env(), held);
}

}  // namespace faultline
