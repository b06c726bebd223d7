-- Settles what no copy keeps alive any more, for several projects at once. Twin of `sweepReservations` in
-- process-admissions.ts.
local now = read_clock(ARGV[1])
local swept = 0
for first = 1, #KEYS, 3 do
  local days, reservations, leases = KEYS[first], KEYS[first + 1], KEYS[first + 2]
  for _, request_id in ipairs(redis.call('ZRANGEBYSCORE', leases, '-inf', plain(now))) do
    if settle_reservation(days, reservations, leases, request_id, nil, now) then swept = swept + 1 end
  end
end
return swept
