-- Twin of `findAnswer` in process/cached-answers.ts.
local found = redis.call('GET', KEYS[1])
if not found then return false end
local space = string.find(found, ' ', 1, true)
local ends_at = space and tonumber(string.sub(found, 1, space - 1))
if not ends_at or ends_at <= read_clock(ARGV[1]) then return false end
return string.sub(found, space + 1)
