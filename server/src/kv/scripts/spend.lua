-- Tokens of one project's day: hash fields 'spent', 'reserved', 's:<user>', 'r:<user>'.
-- A reservation is one string, '<day> <reserved> <checkpoint> <end of its lease> <user>'.
-- The fewer calls the better: a call costs more than what it does.
local function read_day(key, user_id)
  local found = redis.call('HMGET', key, 'spent', 'reserved', 's:' .. user_id, 'r:' .. user_id)
  return {
    spent = tonumber(found[1] or 0),
    reserved = tonumber(found[2] or 0),
    user_spent = tonumber(found[3] or 0),
    user_reserved = tonumber(found[4] or 0),
  }
end

-- On top of what was read in the same run. `clock` is the time, or what `read_clock` takes: most days need none.
local function add_to_day(key, day, user_id, before, spent, reserved, clock)
  local changed = {}
  local function put(field, sum)
    changed[#changed + 1] = field
    changed[#changed + 1] = plain(math.max(sum, 0))
  end
  if spent ~= 0 then
    put('spent', before.spent + spent)
    put('s:' .. user_id, before.user_spent + spent)
  end
  if reserved ~= 0 then
    put('reserved', before.reserved + reserved)
    put('r:' .. user_id, before.user_reserved + reserved)
  end
  if #changed == 0 then return end
  redis.call('HSET', key, unpack(changed))
  -- Where anything was in it, it has its expiry already.
  if before.spent == 0 and before.reserved == 0 then
    local left = math.max((day + 1) * DAY_MS - read_clock(clock), 0)
    redis.call('PEXPIRE', key, plain(left + KEEP_DAY_MS), 'NX')
  end
end

local function unpack_reservation(packed)
  local day, reserved, checkpoint, lease_ends_at, user_id = string.match(packed, '^(%d+) (%d+) (%d+) (%d+) (.*)$')
  return {
    day = tonumber(day),
    reserved = tonumber(reserved),
    checkpoint = tonumber(checkpoint),
    lease_ends_at = tonumber(lease_ends_at),
    user_id = user_id,
  }
end

local function find_reservation(reservations, request_id)
  local packed = redis.call('HGET', reservations, request_id)
  return packed and unpack_reservation(packed)
end

-- With a lease that begins now. `command` is HSET, or HSETNX, which changes nothing and answers 0 where it is held already.
local function write_reservation(command, reservations, request_id, held, now)
  local numbers = { plain(held.day), plain(held.reserved), plain(held.checkpoint), plain(now + LEASE_MS) }
  return redis.call(command, reservations, request_id, table.concat(numbers, ' ') .. ' ' .. held.user_id)
end

-- Without tokens the last checkpoint is charged.
local function settle_reservation(days, reservations, request_id, tokens, clock)
  local held = find_reservation(reservations, request_id)
  if not held then return false end
  redis.call('HDEL', reservations, request_id)
  local key = days .. plain(held.day)
  local before = read_day(key, held.user_id)
  add_to_day(key, held.day, held.user_id, before, tokens or held.checkpoint, -held.reserved, clock)
  return true
end
