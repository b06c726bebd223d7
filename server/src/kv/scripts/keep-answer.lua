-- Keeps an answer: the time when it expires, a space, then its text. The answers that were kept first are dropped while
-- all together exceed the maximum. Twin of `keepAnswer` in process/cached-answers.ts.
local key, order, sizes = KEYS[1], KEYS[2], KEYS[3]
local now, answer, life_ms = read_clock(ARGV[1]), ARGV[2], tonumber(ARGV[3])
local max_bytes, entry_bytes = tonumber(ARGV[4]), tonumber(ARGV[5])
-- The field of the sum; the other fields are named after the keys of answers.
local TOTAL = ''
local MAX_LIFE_MS = 86400000

-- Returns the bytes of all answers that are left.
local function drop(name)
  local bytes = tonumber(redis.call('HGET', sizes, name) or 0)
  redis.call('UNLINK', name)
  redis.call('ZREM', order, name)
  redis.call('HDEL', sizes, name)
  return redis.call('HINCRBY', sizes, TOTAL, 0 - bytes)
end

local total = drop(key)
local bytes = #answer + 2 * #key + entry_bytes
if bytes > max_bytes then return 0 end
while total + bytes > max_bytes do
  local first = redis.call('ZRANGE', order, 0, 0)[1]
  if not first then break end
  total = drop(first)
end
redis.call('SET', key, plain(now + life_ms) .. ' ' .. answer, 'PX', plain(life_ms + CLEAN_UP_MS))
redis.call('ZADD', order, plain(now), key)
redis.call('HSET', sizes, key, bytes, TOTAL, plain(total + bytes))
-- No answer lives longer than both.
for _, name in ipairs({ order, sizes }) do redis.call('PEXPIRE', name, plain(MAX_LIFE_MS + CLEAN_UP_MS)) end
return 1
