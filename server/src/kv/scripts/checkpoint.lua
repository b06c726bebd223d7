-- Twin of `checkpoint` in process-admissions.ts.
local reservations, leases = unpack(KEYS)
local now, request_id, tokens = read_clock(ARGV[1]), ARGV[2], tonumber(ARGV[3])
local held = find_reservation(reservations, request_id)
if held then
  held.checkpoint = tokens
  write_reservation(reservations, leases, request_id, held, now)
end
