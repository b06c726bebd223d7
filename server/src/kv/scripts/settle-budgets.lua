-- Twin of `settleBudgets` in process/budgets.ts.
local sums = settle_hold(KEYS[1], KEYS[2], ARGV[1], tonumber(ARGV[2]))
if not sums then return false end
return sums
