-- Counts one in each window or in none. Twin of `take` in process-windows.ts.
local now = read_clock(ARGV[1])
local counts, ends = {}, {}
local refused, closed_until = 0, 0
for i, key in ipairs(KEYS) do
  local limit, window_ms = tonumber(ARGV[2 * i]), tonumber(ARGV[2 * i + 1])
  local count, ends_at = read_window(key, now)
  if ends_at == 0 then ends_at = now + window_ms end
  counts[i], ends[i] = count, ends_at
  if count >= limit and ends_at > closed_until then
    refused, closed_until = i, ends_at
  end
end
if refused > 0 then return { refused, now, closed_until } end
for i, key in ipairs(KEYS) do write_window(key, counts[i] + 1, ends[i], now) end
return { 0, now, unpack(ends) }
