-- Appends messages to a conversation: a list of messages, oldest first, followed by the time when it expires. Twin of
-- `appendTurn` in process/conversations.ts.
local key = KEYS[1]
local now, keep, life_ms, most_bytes = read_clock(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local ends_at = redis.call('RPOP', key)
if ends_at and tonumber(ends_at) <= now then redis.call('DEL', key) end
for i = 5, #ARGV do redis.call('RPUSH', key, ARGV[i]) end

local messages = redis.call('LRANGE', key, 0, -1)
local bytes, fitting = 0, 0
for i = #messages, 1, -1 do
  bytes = bytes + #messages[i]
  if fitting == keep or bytes > most_bytes then break end
  fitting = fitting + 1
end
if fitting == 0 then return redis.call('DEL', key) end
redis.call('LTRIM', key, -fitting, -1)
redis.call('RPUSH', key, plain(now + life_ms))
redis.call('PEXPIRE', key, plain(life_ms + CLEAN_UP_MS))
