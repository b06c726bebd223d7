-- The time, then for each minute of the last hour with counts its number, and each name and count.
local now = read_clock(ARGV[1])
local found = { now }
local minute = math.floor(now / ACTIVITY_MINUTE_MS)
for at = minute - ACTIVITY_MINUTES + 1, minute do
  local pairs_of_minute = redis.call('HGETALL', KEYS[1] .. plain(at))
  if #pairs_of_minute > 0 then
    table.insert(pairs_of_minute, 1, at)
    found[#found + 1] = pairs_of_minute
  end
end
return found
