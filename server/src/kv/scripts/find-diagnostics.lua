-- Returns the time, then field and value of each count in the hours that overlap the last 24.
local now = read_clock(ARGV[1])
local found = { now }
local hour = math.floor(now / DIAGNOSTIC_HOUR_MS)
for at = hour - DIAGNOSTIC_HOURS, hour do
  for _, text in ipairs(redis.call('HGETALL', KEYS[1] .. plain(at))) do found[#found + 1] = text end
end
return found
