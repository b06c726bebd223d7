-- Keeps the ends of the copies' lives and counts those still to come. Twin of `announceCopy` in process-copies.ts.
local key = KEYS[1]
local now, copy_id, life_ms = read_clock(ARGV[1]), ARGV[2], tonumber(ARGV[3])
redis.call('ZADD', key, plain(now + life_ms), copy_id)
redis.call('ZREMRANGEBYSCORE', key, '-inf', plain(now))
return redis.call('ZCARD', key)
