-- Twin of `checkpoint` in process-admissions.ts.
local reservations = KEYS[1]
local now, request_id, tokens = read_clock(ARGV[1]), ARGV[2], tonumber(ARGV[3])
local held = find_reservation(reservations, request_id)
if held then
  held.checkpoint = tokens
  write_reservation('HSET', reservations, request_id, held, now)
end
