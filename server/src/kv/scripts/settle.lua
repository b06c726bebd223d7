-- Settles several reservations, of any projects, each by itself. Twin of `settle` in process/admissions.ts.
local clock = ARGV[1]

local function settle(at)
  local days, reservations = KEYS[2 * at - 1], KEYS[2 * at]
  local request_id, tokens = ARGV[2 * at], tonumber(ARGV[2 * at + 1])
  return settle_reservation(days, reservations, request_id, tokens, clock) and 'settled' or 'unknown'
end

return answer_each(#KEYS / 2, settle)
