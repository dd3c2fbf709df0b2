#include "structures/sharded.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "structures/packed_matches.h"
#include "structures/ranks.h"
#include "structures/registry.h"
#include "structures/shard_commands.h"
#include "structures/wire.h"

namespace bloomery {
namespace {

constexpr std::size_t kMostKeys = std::size_t{1} << 20;  // a message: far below what MPI can count

Ranks* all_ranks = nullptr;
bool any_rank_lost = false;  // guarded by the conversation

// One conversation at a time, of all sharded structures: answers are told apart by their order alone.
std::mutex& conversation() {
  static std::mutex mutex;
  return mutex;
}

// Those given, as they were written.
std::map<std::string, std::string> given_values(const Params& params) {
  Params copy = params;
  std::map<std::string, std::string> values;
  for (const ParamSpec& spec : params.specs()) {
    if (params.given(spec.name)) values[spec.name] = copy.text(spec.name, "", "", "");
  }
  return values;
}

class Sharded final : public AnyStructure {
 public:
  Sharded(const RegistryEntry& inner, Params& params)
      : name_(inner.name),
        wanted_(params.integer("ranks", 0, 0, 65536, "processes that hold a part of the sets; 0 means all there are")),
        piece_(params.integer("piece", 256, 1, kMostKeys, "keys that go out together, so that ranks have work early")),
        timeout_(params.integer("timeout", 600, 1, 1'000'000, "seconds to wait for the answer of a rank")),
        local_(inner.make(params)),
        params_(given_values(params)) {
    for (const char* own : {"ranks", "piece", "timeout"}) params_.erase(own);
  }

  ~Sharded() override {
    const std::scoped_lock lock(conversation());
    // Nobody waits for the answers: the next structure passes them over.
    if (connected_ && !any_rank_lost) all_ranks->broadcast(count_, command(ShardCommand::kDrop).take());
  }

  Cost build(Sets sets, const Executor& executor) override {
    const std::scoped_lock lock(conversation());
    connect();
    send_parts(sets);
    tell_all(command(ShardCommand::kBuild).value(executor.backend()).value(executor.threads()).take());
    std::vector<Keys> own;
    for (std::size_t set = 0; set < sets.size(); set += ranks()) own.push_back(sets[set]);
    Cost cost = local_->build(own, executor);
    for (int rank = 1; rank < count_; ++rank) cost += answer_of(rank).template value<Cost>();
    return cost;
  }

  std::optional<Cost> insert(SetId id, Keys keys) override {
    const std::scoped_lock lock(conversation());
    connect();
    return insert_parts(id, keys);
  }

  std::optional<Cost> replace(SetId id, Keys keys) override {
    const std::scoped_lock lock(conversation());
    connect();
    if (owner(id) == 0) return local_->replace(inside(id), keys);
    const std::size_t first = std::min(keys.size(), kMostKeys);
    std::optional<Cost> cost = route(id, command(ShardCommand::kReplace, id).list(keys.first(first)).take());
    if (cost && first < keys.size()) *cost += insert_parts(id, keys.subspan(first)).value_or(Cost{});
    return cost;
  }

  std::optional<Cost> insert_filter(SetId id, FilterBits bits) override {
    const std::scoped_lock lock(conversation());
    connect();
    if (owner(id) == 0) return local_->insert_filter(inside(id), bits);
    return route(id, command(ShardCommand::kInsertFilter, id).list(bits).take());
  }

  std::optional<Cost> erase(SetId id) override {
    const std::scoped_lock lock(conversation());
    connect();
    if (owner(id) == 0) return local_->erase(inside(id));
    return route(id, command(ShardCommand::kErase, id).take());
  }

  Cost query(Keys keys, Matches& out) const override {
    Cost cost;
    ask(keys, out, &cost);
    return cost;
  }

  void query_timed(Keys keys, Matches& out) const override { ask(keys, out, nullptr); }

  Footprint footprint() const override {
    const std::scoped_lock lock(conversation());
    Footprint sum = local_->footprint();
    if (!connected_) return sum;
    tell_all(command(ShardCommand::kFootprint).take());
    for (int rank = 1; rank < count_; ++rank) {
      const auto part = answer_of(rank).template value<Footprint>();
      sum.storage_bytes += part.storage_bytes;
      sum.memory_bytes += part.memory_bytes;
      sum.nodes += part.nodes;
      sum.height = std::max(sum.height, part.height);
    }
    return sum;
  }

  std::string validate() const override {
    const std::scoped_lock lock(conversation());
    std::string problem = local_->validate();
    if (!connected_) return problem;
    tell_all(command(ShardCommand::kValidate).take());
    for (int rank = 1; rank < count_; ++rank) {  // all of them, or the next command would get the wrong answers
      const std::string other = answer_of(rank).text();
      if (problem.empty() && !other.empty()) problem = fmt::format("rank {}: {}", rank, other);
    }
    return problem;
  }

  std::optional<BlockLoads> loads(Keys) const override { return std::nullopt; }
  std::optional<Worth> worth(Keys) const override { return std::nullopt; }
  bool intersect_with(const AnyStructure&) override { return false; }
  std::optional<Traffic> traffic() const override {
    const std::scoped_lock lock(conversation());
    const auto hosts = connected_ ? all_ranks->hosts(count_) : 1;
    return Traffic{ranks(), static_cast<std::uint64_t>(hosts), bytes_};
  }
  bool concurrent_insert() const override { return true; }
  bool concurrent_maintenance() const override { return local_->concurrent_maintenance(); }

 private:
  std::uint32_t ranks() const { return static_cast<std::uint32_t>(count_); }
  int owner(SetId id) const { return static_cast<int>(id % ranks()); }
  SetId inside(SetId id) const { return id / ranks(); }

  // At first use.
  void connect() {
    if (decided_) return;
    const int there = all_ranks == nullptr ? 1 : all_ranks->count();
    if (wanted_ > static_cast<std::uint64_t>(there)) {
      throw std::runtime_error(fmt::format("ranks is {}, but there {} {}; start the program with mpirun -n {}", wanted_,
                                           there == 1 ? "is" : "are", there, wanted_));
    }
    count_ = wanted_ == 0 ? there : static_cast<int>(wanted_);
    decided_ = true;
    if (count_ == 1) return;
    static std::atomic<std::uint32_t> numbers{0};
    number_ = ++numbers;
    connected_ = true;
    Writer make = command(ShardCommand::kMake);
    make.text(name_).value<std::uint64_t>(params_.size());
    for (const auto& [name, value] : params_) make.text(name).text(value);
    tell_all(make.take());
    for (int rank = 1; rank < count_; ++rank) answer_of(rank);
  }

  Writer command(ShardCommand what) const {
    Writer out;
    out.value(what).value(number_);
    return out;
  }
  Writer command(ShardCommand what, SetId id) const {
    Writer out = command(what);
    out.value(inside(id));
    return out;
  }

  void tell_all(Message message) const {
    if (count_ == 1) return;
    expect_all_there();
    bytes_ += message.size() * static_cast<std::uint64_t>(count_ - 1);
    all_ranks->broadcast(count_, std::move(message));
  }
  void tell(int rank, Message message) const {
    expect_all_there();
    bytes_ += message.size();
    all_ranks->send(rank, std::move(message));
  }
  void expect_all_there() const {
    if (any_rank_lost) throw RankLost("a rank was lost before; start the program again, with as many ranks as are left");
    if (failed_) throw std::runtime_error("it failed on another rank before");
  }

  // What follows the status; valid until the next call. Answers that a structure before this one failed to fetch are
  // passed over.
  Reader answer_of(int rank) const {
    for (;;) {
      answer_ = receive(rank);
      Reader in(answer_);
      if (in.value<std::uint32_t>() != number_) continue;
      if (in.value<ShardStatus>() == ShardStatus::kDone) return in;
      failed_ = true;
      throw std::runtime_error(fmt::format("rank {} on {}: {}", rank, all_ranks->host_of(rank), in.text()));
    }
  }

  Message receive(int rank) const {
    try {
      Message message = all_ranks->receive(rank, timeout_);
      bytes_ += message.size();
      return message;
    } catch (const RankLost&) {
      any_rank_lost = true;
      throw;
    }
  }

  std::optional<Cost> route(SetId id, Message message) {
    tell(owner(id), std::move(message));
    Reader in = answer_of(owner(id));
    const auto able = in.value<bool>();
    const auto cost = in.value<Cost>();
    return able ? std::optional(cost) : std::nullopt;
  }

  std::optional<Cost> insert_parts(SetId id, Keys keys) {
    if (owner(id) == 0) return local_->insert(inside(id), keys);
    Cost sum;
    do {
      const Keys part = keys.first(std::min(keys.size(), kMostKeys));
      const std::optional<Cost> cost = route(id, command(ShardCommand::kInsert, id).list(part).take());
      if (!cost) return std::nullopt;
      sum += *cost;
      keys = keys.subspan(part.size());
    } while (!keys.empty());
    return sum;
  }

  // The sets of the other ranks, each in messages of about kMostKeys; a rank gets its next one when it has taken in the
  // last, so that no more than one a rank is on its way.
  void send_parts(Sets sets) {
    std::vector<bool> busy(ranks(), false);
    for (int rank = 1; rank < count_; ++rank) {
      Writer part = command(ShardCommand::kBuildPart);
      for (std::size_t set = static_cast<std::size_t>(rank); set < sets.size(); set += ranks()) {
        Keys rest = sets[set];
        bool first = true;
        do {
          const Keys some = rest.first(std::min(rest.size(), kMostKeys));
          part.value(first).list(some);
          first = false;
          rest = rest.subspan(some.size());
          if (part.size() >= kMostKeys * sizeof(Key)) {
            deliver(rank, std::exchange(part, command(ShardCommand::kBuildPart)).take(), busy);
          }
        } while (!rest.empty());
      }
      deliver(rank, part.take(), busy);
    }
    for (int rank = 1; rank < count_; ++rank) {
      if (busy[static_cast<std::size_t>(rank)]) answer_of(rank);
    }
  }

  void deliver(int rank, Message part, std::vector<bool>& busy) {
    if (busy[static_cast<std::size_t>(rank)]) answer_of(rank);
    tell(rank, std::move(part));
    busy[static_cast<std::size_t>(rank)] = true;
  }

  void ask(Keys keys, Matches& out, Cost* cost) const {
    const std::scoped_lock lock(conversation());
    for (std::size_t at = 0; at < keys.size() && count_ > 1; at += piece_) {
      tell_all(command(ShardCommand::kQuery).value(cost != nullptr).list(piece(keys, at)).take());
    }
    ask_own(keys, out, cost);
    if (count_ == 1) return;
    for (std::size_t at = 0; at < keys.size(); at += piece_) {
      for (int rank = 1; rank < count_; ++rank) {
        Reader in = answer_of(rank);
        const auto part = in.value<Cost>();
        if (cost != nullptr) *cost += part;
        unpack_matches(in.rest(), piece(keys, at).size(), static_cast<std::uint32_t>(at), ranks(),
                       static_cast<std::uint32_t>(rank), out);
      }
    }
  }

  void ask_own(Keys keys, Matches& out, Cost* cost) const {
    Matches& own = count_ == 1 ? out : own_;
    if (count_ > 1) own.clear();
    if (cost != nullptr) {
      *cost += local_->query(keys, own);
    } else {
      local_->query_timed(keys, own);
    }
    if (count_ == 1) return;
    out.ensure(own.size());
    for (const Match& match : own.view()) out.push(match.index, match.set * ranks());
  }

  Keys piece(Keys keys, std::size_t at) const {
    return keys.subspan(at, std::min<std::size_t>(piece_, keys.size() - at));
  }

  const std::string name_;
  const std::uint64_t wanted_;
  const std::size_t piece_;
  const std::chrono::seconds timeout_;
  const std::unique_ptr<AnyStructure> local_;
  std::map<std::string, std::string> params_;
  std::uint32_t number_ = 0;  // what the other ranks know it by
  int count_ = 1;
  bool decided_ = false;    // how many ranks
  bool connected_ = false;  // to others
  // Of the conversation, and so guarded by its lock.
  mutable bool failed_ = false;  // some of its answers may still be on their way
  mutable std::uint64_t bytes_ = 0;
  mutable Message answer_;
  mutable Matches own_;
};

}  // namespace

Ranks* ranks_here() { return all_ranks; }
void set_ranks(Ranks* ranks) {
  const std::scoped_lock lock(conversation());
  all_ranks = ranks;
  any_rank_lost = false;
}

std::unique_ptr<AnyStructure> make_sharded(const RegistryEntry& inner, Params& params) {
  return std::make_unique<Sharded>(inner, params);
}

}  // namespace bloomery
