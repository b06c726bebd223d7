-- Keeps usage rows by their request ids, up to a maximum; returns how many did not fit.
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
