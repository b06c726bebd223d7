-- Twin of `checkpoint` in process/admissions.ts.
local reservations = KEYS[1]
local now, request_id, tokens = read_clock(ARGV[1]), ARGV[2], tonumber(ARGV[3])
local packed = redis.call('HGET', reservations, request_id)
if packed then
  local day, reserved, _, _, user_id, holder = unpack_reservation(packed)
  redis.call('HSET', reservations, request_id, pack_reservation(day, reserved, tokens, now, user_id, holder))
end
