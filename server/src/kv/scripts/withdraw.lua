-- Takes back an admission with tokens: its reservation, and its count in windows that are still open. Twin of
-- `withdraw` in process/admissions.ts.
local days, reservations, project_window = unpack(KEYS)
local now, request_id = read_clock(ARGV[1]), ARGV[2]
local packed = redis.call('HGET', reservations, request_id)
if not packed then return 'unknown' end

local _, _, _, lease_ends_at, user_id = unpack_reservation(packed)
settle_reservation(days, reservations, request_id, 0, now)
local admitted_at = lease_ends_at - LEASE_MS
for _, key in ipairs({ project_window, project_window .. ':' .. user_id }) do
  local count, ends_at = read_window(key, now)
  if count > 0 and ends_at - REQUEST_WINDOW_MS <= admitted_at then write_window(key, count - 1, ends_at) end
end
return 'settled'
