#include <exception>
#include <map>
#include <memory>
#include <utility>

#include "structures/packed_matches.h"
#include "structures/registry.h"
#include "structures/shard_commands.h"
#include "structures/wire.h"

namespace bloomery {
namespace {

// One rank's part of one sharded structure.
class Shard {
 public:
  explicit Shard(Reader& in) {
    const std::string name = in.text();
    std::map<std::string, std::string> params;
    for (auto count = in.value<std::uint64_t>(); count > 0; --count) {
      std::string key = in.text();
      params[std::move(key)] = in.text();
    }
    it_ = make_structure(name, Params(std::move(params)));
  }

  void collect(Reader& in) {
    while (!in.rest().empty()) {
      if (in.value<bool>()) waiting_.emplace_back();
      const std::vector<Key> keys = in.list<Key>();
      waiting_.back().insert(waiting_.back().end(), keys.begin(), keys.end());
    }
  }

  void build(Reader& in, Writer& out) {
    const auto backend = in.value<Backend>();
    const auto threads = in.value<int>();
    const std::vector<Keys> sets(waiting_.begin(), waiting_.end());
    out.value(it_->build(sets, Executor(backend, threads)));
    waiting_ = {};
  }

  void maintain(ShardCommand command, Reader& in, Writer& out) {
    const auto id = in.value<SetId>();
    std::optional<Cost> cost;
    switch (command) {
      case ShardCommand::kInsert:
        cost = it_->insert(id, in.list<Key>());
        break;
      case ShardCommand::kInsertFilter:
        cost = it_->insert_filter(id, in.list<std::uint64_t>());
        break;
      case ShardCommand::kReplace:
        cost = it_->replace(id, in.list<Key>());
        break;
      default:
        cost = it_->erase(id);
        break;
    }
    out.value(cost.has_value()).value(cost.value_or(Cost{}));
  }

  Message query(Reader& in, Writer out) {
    const auto counting = in.value<bool>();
    const std::vector<Key> keys = in.list<Key>();
    matches_.clear();
    Cost cost;
    if (counting) {
      cost = it_->query(keys, matches_);
    } else {
      it_->query_timed(keys, matches_);
    }
    Message answer = out.value(cost).take();
    pack_matches(matches_.view(), keys.size(), answer);
    return answer;
  }

  const AnyStructure& it() const { return *it_; }

 private:
  std::unique_ptr<AnyStructure> it_;
  std::vector<std::vector<Key>> waiting_;  // sets that came for a build
  Matches matches_;
};

class Server {
 public:
  Message answer(MessageView message) {
    Reader in(message);
    const auto command = in.value<ShardCommand>();
    const auto number = in.value<std::uint32_t>();
    try {
      return obey(command, number, in);
    } catch (const std::exception& error) {
      return Writer().value(number).value(ShardStatus::kFailed).text(error.what()).take();
    }
  }

 private:
  Message obey(ShardCommand command, std::uint32_t number, Reader& in) {
    Writer out;
    out.value(number).value(ShardStatus::kDone);
    if (command == ShardCommand::kMake) {
      shards_[number] = std::make_unique<Shard>(in);
      return out.take();
    }
    if (command == ShardCommand::kDrop) {
      shards_.erase(number);
      return out.take();
    }
    Shard& shard = *shards_.at(number);
    switch (command) {
      case ShardCommand::kBuildPart:
        shard.collect(in);
        break;
      case ShardCommand::kBuild:
        shard.build(in, out);
        break;
      case ShardCommand::kQuery:
        return shard.query(in, std::move(out));
      case ShardCommand::kFootprint:
        out.value(shard.it().footprint());
        break;
      case ShardCommand::kValidate:
        out.text(shard.it().validate());
        break;
      default:
        shard.maintain(command, in, out);
        break;
    }
    return out.take();
  }

  std::map<std::uint32_t, std::unique_ptr<Shard>> shards_;
};

}  // namespace

std::function<Message(MessageView)> make_rank_server() {
  return [server = std::make_shared<Server>()](MessageView command) { return server->answer(command); };
}

}  // namespace bloomery
