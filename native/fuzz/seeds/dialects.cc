// Writes the small job of the native tests in every form, one file a rank: what the fuzzers of reader and salvage start from.
// usage: dialects FOLDER [HEAD]   (HEAD: bytes before each dump)
#include <fstream>

#include "test/flight_recorder_jobs.h"

int main(int count, char** arguments) {
  if (count < 2) return 2;
  const std::string folder = arguments[1], head = count > 2 ? arguments[2] : "";
  for (const dialects::Dialect dialect : dialects::ALL) {
    for (const jobs::Format& format : jobs::FORMATS) {
      const std::string name = dialects::NAMES[static_cast<int>(dialect)];
      std::ofstream(folder + "/" + name + "-" + format.version, std::ios::binary) << head << written(jobs::dump(2, format), dialect);
    }
  }
}
