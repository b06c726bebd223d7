-- Counts one in each window or in none. Twin of `take` in process/windows.ts.
local now = read_clock(ARGV[1])
local counts, ends, lengths = {}, {}, {}
local refused, closed_until = 0, 0
for i, key in ipairs(KEYS) do
  local limit = tonumber(ARGV[2 * i])
  lengths[i] = tonumber(ARGV[2 * i + 1])
  counts[i], ends[i] = read_window(key, now)
  local closes_at = ends[i] == 0 and now + lengths[i] or ends[i]
  if counts[i] >= limit and closes_at > closed_until then
    refused, closed_until = i, closes_at
  end
end
if refused > 0 then return { refused, now, closed_until } end
for i, key in ipairs(KEYS) do
  counts[i], ends[i] = count_in_window(key, counts[i], ends[i], lengths[i], now)
end
local reply = { 0, now }
for i = 1, #KEYS do
  reply[#reply + 1] = ends[i]
  reply[#reply + 1] = counts[i]
end
return reply
