-- Budgets of one tenant. A period is a hash: 's:<scope>' what was spent, 'r:<scope>' what is reserved, in nano-dollars.
-- A reservation is one string, '<amount> <checkpoint> <end of its lease> <holder> <period> <scope> <period> <scope> …'.
local MAX_SPENT = 9007199254740991

-- Returns amount, checkpoint, end of the lease, the counters as one text, and the holder.
local function unpack_hold(packed)
  local amount, checkpoint, lease_ends_at, holder, counters = string.match(packed, '^(%d+) (%d+) (%d+) (%S+) (.*)$')
  return tonumber(amount), tonumber(checkpoint), tonumber(lease_ends_at), counters, holder
end

-- The lease begins now.
local function pack_hold(amount, checkpoint, now, counters, holder)
  return table.concat({ plain(amount), plain(checkpoint), plain(now + LEASE_MS), holder, counters }, ' ')
end

-- Charges the last checkpoint if `amount` is nil. Returns period, scope and sum of each counter, or nil.
local function settle_hold(periods, holds, request_id, amount)
  local packed = redis.call('HGET', holds, request_id)
  if not packed then return nil end
  redis.call('HDEL', holds, request_id)
  local held, checkpoint, _, counters = unpack_hold(packed)
  local sums = {}
  for period, scope in string.gmatch(counters, '(%S+) (%S+)') do
    local key = periods .. period
    local found = redis.call('HMGET', key, 's:' .. scope, 'r:' .. scope)
    -- A counter that was lost is read from the database again, which has the call's usage by then.
    if found[1] then
      local spent = math.min(tonumber(found[1]) + (amount or checkpoint), MAX_SPENT)
      local reserved = math.max(tonumber(found[2] or 0) - held, 0)
      redis.call('HSET', key, 's:' .. scope, plain(spent), 'r:' .. scope, plain(reserved))
      sums[#sums + 1], sums[#sums + 2], sums[#sums + 3] = period, scope, spent
    end
  end
  return sums
end
