-- Counts of a project's current hour. ARGV: clock, bound, then of each its field, the field of what is over the bound, count.
local now, most = read_clock(ARGV[1]), tonumber(ARGV[2])
local key = KEYS[1] .. plain(math.floor(now / DIAGNOSTIC_HOUR_MS))
for index = 3, #ARGV, 3 do
  local field = ARGV[index]
  local packed = redis.call('HGET', key, field)
  if not packed and redis.call('HLEN', key) >= most then
    field = ARGV[index + 1]
    packed = redis.call('HGET', key, field)
  end
  local count = tonumber(string.match(packed or '', '^(%d+)') or 0) + tonumber(ARGV[index + 2])
  redis.call('HSET', key, field, plain(count) .. ' ' .. plain(now))
end
redis.call('PEXPIRE', key, plain((DIAGNOSTIC_HOURS + 1) * DIAGNOSTIC_HOUR_MS + CLEAN_UP_MS))
return 1
