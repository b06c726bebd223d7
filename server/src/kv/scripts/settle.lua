-- Twin of `settle` in process-admissions.ts.
local days, reservations = unpack(KEYS)
local clock, request_id, tokens = ARGV[1], ARGV[2], tonumber(ARGV[3])
return settle_reservation(days, reservations, request_id, tokens, clock) and 'settled' or 'unknown'
