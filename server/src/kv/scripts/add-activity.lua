-- Counts of projects in the current minute. ARGV: clock, then for each key how many names follow, and each name and count.
local minute = plain(math.floor(read_clock(ARGV[1]) / ACTIVITY_MINUTE_MS))
local at = 2
for _, prefix in ipairs(KEYS) do
  local key = prefix .. minute
  local last = at + 2 * tonumber(ARGV[at])
  for index = at + 1, last, 2 do redis.call('HINCRBY', key, ARGV[index], ARGV[index + 1]) end
  redis.call('PEXPIRE', key, plain(ACTIVITY_MINUTES * ACTIVITY_MINUTE_MS + CLEAN_UP_MS))
  at = last + 1
end
return 1
