-- Settles reservations whose lease has expired, or whose holder is the one that ended, of several projects at once. Twin
-- of `sweepReservations` in process/admissions.ts.
local now, ended = read_clock(ARGV[1]), ARGV[2]
local swept = 0
for first = 1, #KEYS, 2 do
  local days, reservations = KEYS[first], KEYS[first + 1]
  local all = redis.call('HGETALL', reservations)
  for at = 1, #all, 2 do
    local _, _, _, lease_ends_at, _, holder = unpack_reservation(all[at + 1])
    -- A corrupt reservation has no end: it is left alone.
    local is_over = lease_ends_at and (lease_ends_at <= now or holder == ended)
    if is_over and settle_reservation(days, reservations, all[at], nil, now) then swept = swept + 1 end
  end
end
return swept
