-- Twin of `settle` in process-admissions.ts.
local days, reservations = unpack(KEYS)
local now, request_id, tokens = read_clock(ARGV[1]), ARGV[2], tonumber(ARGV[3])
return settle_reservation(days, reservations, request_id, tokens, now) and 'settled' or 'unknown'
