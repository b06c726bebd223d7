-- Twin of `recallTurns` in process/conversations.ts.
local key = KEYS[1]
local now, last, life_ms = read_clock(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local ends_at = redis.call('LINDEX', key, -1)
if not ends_at or tonumber(ends_at) <= now then return {} end
redis.call('PEXPIRE', key, plain(life_ms + CLEAN_UP_MS))
redis.call('LSET', key, -1, plain(now + life_ms))
if last <= 0 then return {} end
return redis.call('LRANGE', key, -(last + 1), -2)
