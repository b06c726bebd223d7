-- Raises one day's counters to the given values, never lowers them. Twin of `restoreSpend` in process/admissions.ts.
local key = KEYS[1]
local now, day = read_clock(ARGV[1]), tonumber(ARGV[2])
for i = 3, #ARGV, 2 do
  local field, tokens = ARGV[i], tonumber(ARGV[i + 1])
  if tokens > tonumber(redis.call('HGET', key, field) or 0) then redis.call('HSET', key, field, plain(tokens)) end
end
redis.call('PEXPIRE', key, plain(math.max((day + 1) * DAY_MS - now, 0) + KEEP_DAY_MS), 'NX')
