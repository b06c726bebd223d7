-- Takes one back from each window that is still the one it was counted in. Twin of `giveBack` in process/windows.ts.
local now = read_clock(ARGV[1])
for i, key in ipairs(KEYS) do
  local count, ends_at = read_window(key, now)
  if count > 0 and ends_at == tonumber(ARGV[i + 1]) then write_window(key, count - 1, ends_at) end
end
