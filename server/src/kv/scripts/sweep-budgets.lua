-- Settles reservations whose lease has expired, or whose holder is the one that ended, of several tenants at once. Twin
-- of `sweepBudgets` in process/budgets.ts.
local now, ended = read_clock(ARGV[1]), ARGV[2]
local swept = 0
for first = 1, #KEYS, 2 do
  local periods, holds = KEYS[first], KEYS[first + 1]
  local all = redis.call('HGETALL', holds)
  for at = 1, #all, 2 do
    local _, _, lease_ends_at, _, holder = unpack_hold(all[at + 1])
    -- A corrupt reservation has no end: it is left alone.
    local is_over = lease_ends_at and (lease_ends_at <= now or holder == ended)
    if is_over and settle_hold(periods, holds, all[at], nil) then swept = swept + 1 end
  end
end
return swept
