-- Replaces a document unless the stored one is newer, and publishes a change to all replicas. Twin of `createPut` in
-- process/projection.ts. Deletes first, so that the write succeeds in a store whose memory is full: a kill switch must.
local key = KEYS[1]
local revision, channel, change = ARGV[1], ARGV[2], ARGV[3]
-- A document without a body or a revision that is a whole number is corrupt, and is replaced.
local found = redis.call('HMGET', key, 'revision', 'body')
local stored = found[2] and tonumber(string.match(found[1] or '', '^%d+$') or nil)
if stored and stored > tonumber(revision) then return 'older' end
redis.call('DEL', key)
redis.call('HSET', key, 'revision', revision)
for i = 4, #ARGV, 2 do redis.call('HSET', key, ARGV[i], ARGV[i + 1]) end
if stored == tonumber(revision) then return 'unchanged' end
redis.call('PUBLISH', channel, change)
return 'stored'
