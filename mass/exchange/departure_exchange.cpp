#include <mass/exchange/departure_exchange.hpp>

#include <algorithm>
#include <utility>

namespace mass::detail {

namespace {

/// Items before the departures of a place: its number, and the ends of the parts.
constexpr std::size_t headItems = 1 + maxDirections / 2;

/// Appends the departures of a place of a band.
void append(std::vector<Departure>& items, EventBand& band, std::uint32_t place) {
  const DepartureList& list = band.listOf(static_cast<std::int32_t>(place - band.firstPlace));
  items.push_back({place, 0});
  for (std::size_t k = 0; k < maxDirections; k += 2)
    items.push_back({list.ends[k], list.ends[k + 1]});
  items.insert(items.end(), list.begin, list.begin + list.count());
}

}  // namespace

void DepartureExchange::Message::adapt() {
  if (count() > known) known = count() + count() / 4;
}

void DepartureExchange::connect(std::vector<std::vector<std::uint32_t>> places) {
  peers_.clear();
  received_.clear();
  for (std::size_t rank = 0; rank < places.size(); ++rank) {
    if (!places[rank].empty())
      peers_.push_back({static_cast<int>(rank), std::move(places[rank]), {}, {}});
  }
}

void DepartureExchange::exchangeAll(Ranks& ranks, std::span<EventBand> bands) {
  for (Peer& peer : peers_) {
    peer.sent.items.assign(1, {});
    for (const std::uint32_t place : peer.places)
      append(peer.sent.items, ownerOf(bands, place), place);
  }
  transfer(ranks);
}

void DepartureExchange::exchangeChanged(Ranks& ranks, std::span<EventBand> bands) {
  for (Peer& peer : peers_) peer.sent.items.assign(1, {});
  for (EventBand& band : bands) {
    for (const std::int32_t local : band.changed) {
      const std::uint32_t place = band.firstPlace + static_cast<std::uint32_t>(local);
      for (Peer& peer : peers_) {
        if (std::binary_search(peer.places.begin(), peer.places.end(), place))
          append(peer.sent.items, band, place);
      }
    }
  }
  transfer(ranks);
}

void DepartureExchange::transfer(Ranks& ranks) {
  for (Peer& peer : peers_) {
    peer.sent.items.front().tick = static_cast<std::uint32_t>(peer.sent.items.size());
    peer.sent.items.resize(std::max(peer.sent.items.size(), peer.sent.known));
    peer.received.items.resize(peer.received.known);
  }
  transferParts(ranks, true);
  for (Peer& peer : peers_)
    peer.received.items.resize(std::max(peer.received.known, peer.received.count()));
  transferParts(ranks, false);
  received_.clear();
  for (Peer& peer : peers_) {
    peer.sent.adapt();
    peer.received.adapt();
    unpack(peer.received);
  }
}

/// Sends and receives the first parts of messages, or the others.
void DepartureExchange::transferParts(Ranks& ranks, bool isFirst) {
  std::vector<RankReceive> receives;
  std::vector<RankSend> sends;
  const auto add = [&](auto& list, int rank, auto& message) {
    const std::size_t first = isFirst ? 0 : message.known;
    const std::size_t end = isFirst ? message.known : message.count();
    if (first < end)
      list.push_back({rank, message.items.data() + first, (end - first) * sizeof(Departure)});
  };
  for (Peer& peer : peers_) {
    add(receives, peer.rank, peer.received);
    add(sends, peer.rank, peer.sent);
  }
  if (!receives.empty() || !sends.empty()) ranks.exchange(receives, sends);
}

void DepartureExchange::unpack(Message& message) {
  for (std::size_t at = 1; at < message.count();) {
    RemoteDepartures& remote = received_.emplace_back();
    remote.place = message.items[at].tick;
    for (std::size_t k = 0; k < maxDirections; k += 2) {
      remote.list.ends[k] = message.items[at + 1 + k / 2].tick;
      remote.list.ends[k + 1] = message.items[at + 1 + k / 2].hop;
    }
    remote.list.begin = message.items.data() + at + headItems;
    at += headItems + remote.list.count();
  }
}

}  // namespace mass::detail
