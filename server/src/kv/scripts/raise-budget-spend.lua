-- Raises counters that exist to the given values. Twin of `raiseBudgetSpend` in process/budgets.ts.
local periods = KEYS[1]
for at = 1, #ARGV, 3 do
  local period, scope, spent = unpack(ARGV, at, at + 2)
  local key, field = periods .. period, 's:' .. scope
  local known = redis.call('HGET', key, field)
  if known and tonumber(spent) > tonumber(known) then redis.call('HSET', key, field, plain(tonumber(spent))) end
end
