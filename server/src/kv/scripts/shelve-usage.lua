-- Keeps rows of usage by their request ids, up to a number; answers how many had no room.
local most_rows, refused = tonumber(ARGV[1]), 0
local count = redis.call('HLEN', KEYS[1])
for index = 2, #ARGV, 2 do
  if redis.call('HEXISTS', KEYS[1], ARGV[index]) == 1 then
    redis.call('HSET', KEYS[1], ARGV[index], ARGV[index + 1])
  elseif count < most_rows then
    redis.call('HSET', KEYS[1], ARGV[index], ARGV[index + 1])
    count = count + 1
  else
    refused = refused + 1
  end
end
return refused
