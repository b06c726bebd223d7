-- Twin of `checkpointBudgets` in process/budgets.ts.
local holds = KEYS[1]
local now, request_id, checkpoint = read_clock(ARGV[1]), ARGV[2], tonumber(ARGV[3])
local packed = redis.call('HGET', holds, request_id)
if packed then
  local amount, _, _, counters, holder = unpack_hold(packed)
  redis.call('HSET', holds, request_id, pack_hold(amount, checkpoint, now, counters, holder))
end
