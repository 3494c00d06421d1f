// SPDX-License-Identifier: Apache-2.0
#include "reports/runs/run_writer.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "core/error.h"
#include "core/line_splitter.h"
#include "reports/record/fields.h"
#include "reports/record/record_json.h"
#include "reports/runs/run_folder.h"
#include "reports/runs/run_id.h"
#include "reports/runs/sealed_line.h"

namespace gradproof {
namespace {

InstrumentError cannot_write(const std::string& path, int error) {
  return InstrumentError(fmt::format("cannot write '{}': {}", path, std::strerror(error)));
}

/// A flush of the file's bytes to the disk, at most so often: a Case that is lost with the machine
/// can be judged again, and a flush for each would take longer than a small Case.
constexpr std::chrono::seconds kSyncEvery{1};

/// Returns the error, or 0.
int write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return 0;
}

/// Returns the error, or 0; also where the file system has no such thing.
int flush(int descriptor) {
  if (fdatasync(descriptor) == 0 || errno == EINVAL || errno == ENOSYS) return 0;
  return errno;
}

void sync_folder(const std::string& folder) {
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  fsync(descriptor);
  close(descriptor);
}

}  // namespace

std::string case_lines(const std::vector<Record>& records) {
  std::string lines;
  for (std::size_t k = 0; k < records.size(); ++k) {
    Json json = to_json(records[k]);
    json["part"] = Json::array({k + 1, records.size()});
    lines += sealed(dump(json)) + "\n";
  }
  return lines;
}

RunWriter::RunWriter(std::string folder, RunHeader header)
    : folder_(std::move(folder)), header_(std::move(header)) {
  std::error_code failed;
  std::filesystem::create_directories(folder_, failed);
  if (failed)
    throw UsageError(fmt::format("cannot make directory '{}': {}", folder_, failed.message()));
  create();
}

void RunWriter::create() {
  header_.id = new_run_id(run_ids(folder_));
  header_.started = time_text(now_utc());
  path_ = run_path(folder_, header_.id);
  const std::string line = header_line(header_) + "\n";
  if (line.size() > kLongestLine)
    throw UsageError(
        fmt::format("{} cases are too many for one run's records; make a plan of them "
                    "and judge it in shards",
                    header_.cases.size()));
  descriptor_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor_ < 0 && errno == EEXIST) return create();  // another run has drawn this name
  if (descriptor_ < 0)
    throw UsageError(fmt::format("cannot write '{}': {}", path_, std::strerror(errno)));
  int error = write_all(descriptor_, line);
  if (error == 0) error = flush(descriptor_);
  if (error != 0) {
    close(descriptor_);
    unlink(path_.c_str());
    throw cannot_write(path_, error);
  }
  sync_folder(folder_);
  whole_ = static_cast<std::int64_t>(line.size());
}

RunWriter::~RunWriter() {
  try {
    if (!ended_) end({"failed", "the program ended before its run did", 3, "", 0, {}});
  } catch (const std::exception&) {
    failed_ = true;  // without its last line the run shows that it did not end
  }
  close(descriptor_);
}

void RunWriter::append(const std::vector<Record>& records) { append_lines(case_lines(records)); }

void RunWriter::append(const FoundCell& cell) { append_lines(cell_line(cell) + "\n"); }

void RunWriter::append_lines(const std::string& lines) {
  const std::lock_guard lock(mutex_);
  write_lines(lines);
}

void RunWriter::end(RunEnd end) {
  const std::lock_guard lock(mutex_);
  if (std::exchange(ended_, true)) return;
  end.ended = time_text(now_utc());
  end.seconds = std::chrono::duration<double>(Clock::now() - started_).count();
  write_lines(end_line(end) + "\n");
  sync();
}

void RunWriter::write_lines(const std::string& lines) {
  if (failed_) return;  // an earlier write threw
  if (const int error = write_all(descriptor_, lines); error != 0) {
    // Half a Case is nobody's evidence. Where it cannot be taken back, readers leave it out.
    failed_ = ftruncate(descriptor_, whole_) != 0 || lseek(descriptor_, whole_, SEEK_SET) < 0;
    throw cannot_write(path_, error);
  }
  whole_ += static_cast<std::int64_t>(lines.size());
  if (Clock::now() - synced_ >= kSyncEvery) sync();
}

void RunWriter::sync() {
  if (const int error = flush(descriptor_); error != 0) throw cannot_write(path_, error);
  synced_ = Clock::now();
}

}  // namespace gradproof
