-- Adds to the counts of a project's current hour. ARGV: clock, maximum of fields, then for each count: its field, the
-- field to use instead above the maximum, the count.
local now, max_fields = read_clock(ARGV[1]), tonumber(ARGV[2])
local key = KEYS[1] .. plain(math.floor(now / DIAGNOSTIC_HOUR_MS))
for index = 3, #ARGV, 3 do
  local field = ARGV[index]
  local packed = redis.call('HGET', key, field)
  if not packed and redis.call('HLEN', key) >= max_fields then
    field = ARGV[index + 1]
    packed = redis.call('HGET', key, field)
  end
  local count = tonumber(string.match(packed or '', '^(%d+)') or 0) + tonumber(ARGV[index + 2])
  redis.call('HSET', key, field, plain(count) .. ' ' .. plain(now))
end
redis.call('PEXPIRE', key, plain((DIAGNOSTIC_HOURS + 1) * DIAGNOSTIC_HOUR_MS + CLEAN_UP_MS))
return 1
