-- Stores when each replica's heartbeat expires, lists the replicas that are running, and publishes a change when one
-- joins. Twin of `announceReplica` in process/replicas.ts.
local replicas, epoch = unpack(KEYS)
local now, replica_id, life_ms, channel, change = read_clock(ARGV[1]), ARGV[2], tonumber(ARGV[3]), ARGV[4], ARGV[5]
local is_new = redis.call('ZADD', replicas, plain(now + life_ms), replica_id) == 1
redis.call('ZREMRANGEBYSCORE', replicas, '-inf', plain(now))
if is_new and life_ms > 0 then redis.call('PUBLISH', channel, change) end
return { redis.call('GET', epoch), redis.call('ZRANGE', replicas, 0, -1) }
