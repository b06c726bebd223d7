-- Adds requests that replicas admitted without the store to its windows, once per report. Twin of `addRequests` in
-- process/admissions.ts.
local now = read_clock(ARGV[1])
local known = read_window(KEYS[1], now)
if known > 0 then return end
write_window(KEYS[1], 1, now + REPORT_MS, now)
for at = 2, #KEYS do
  local added, its_end = tonumber(ARGV[2 * at - 2]), now + tonumber(ARGV[2 * at - 1])
  local count, ends_at = read_window(KEYS[at], now)
  if ends_at == 0 then
    write_window(KEYS[at], added, its_end, now)
  else
    write_window(KEYS[at], count + added, math.min(ends_at, its_end))
  end
end
