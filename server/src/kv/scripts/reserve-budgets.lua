-- Reserves the amount of all counters, or of none. Twin of `reserveBudgets` in process/budgets.ts.
local periods, holds = KEYS[1], KEYS[2]
local now, request_id, amount, checkpoint = read_clock(ARGV[1]), ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local holder = ARGV[5]
local outcome = 'reserved'
local answer, reserved_of, counters = {}, {}, {}

-- ARGV: five for all, then five of each counter: period, scope, limit, what the database says was spent, how long to
-- keep it.
for at = 6, #ARGV, 5 do
  local period, scope, limit, known, keep_ms = unpack(ARGV, at, at + 4)
  local key = periods .. period
  local found = redis.call('HMGET', key, 's:' .. scope, 'r:' .. scope)
  local spent, reserved = found[1] and tonumber(found[1]), tonumber(found[2] or 0)
  if known ~= '' and (not spent or tonumber(known) > spent) then
    spent = tonumber(known)
    redis.call('HSET', key, 's:' .. scope, plain(spent))
    redis.call('PEXPIRE', key, keep_ms, 'NX')
  end
  if not spent then
    outcome = 'unseeded'
  elseif outcome == 'reserved' and spent + reserved + amount > tonumber(limit) then
    outcome = 'over'
  end
  answer[#answer + 1] = spent or -1
  answer[#answer + 1] = reserved
  reserved_of[#reserved_of + 1] = { key, scope, reserved }
  counters[#counters + 1] = period .. ' ' .. scope
end

if redis.call('HEXISTS', holds, request_id) == 1 then
  outcome = 'reserved'
elseif outcome == 'reserved' then
  for at, of in ipairs(reserved_of) do
    redis.call('HSET', of[1], 'r:' .. of[2], plain(of[3] + amount))
    answer[2 * at] = of[3] + amount
  end
  local hold = pack_hold(amount, checkpoint, now, table.concat(counters, ' '), holder)
  redis.call('HSET', holds, request_id, hold)
end
return { outcome, unpack(answer) }
