// The load program of open loops: sends requests at the times of a schedule, whether or not earlier ones were answered,
// and records for each the time from its scheduled departure to the end of its response. A request for which no
// connection is free waits in line, and the wait counts. One thread, one epoll.
// Usage: open-load PORT CONNECTIONS SCHEDULE RECORDS kept|fresh. SCHEDULE is a file of doubles, nanoseconds from the
// start; RECORDS gets two 32-bit numbers of microseconds for each request. `fresh`: a new connection for each request,
// at most CONNECTIONS at once. Environment as for wrk.lua. Supports responses of less than 64 KB.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { INPUT = 64 * 1024, REQUEST = 16 * 1024, EVENTS = 512 };
/** After the last departure, responses are awaited for this long. */
static const uint64_t grace_ns = 20ull * 1000 * 1000 * 1000;
static const uint32_t failed = UINT32_MAX;
/** In a body, replaced by a number that is different in each request. */
static const char placeholder[] = "@@@@@@@@@@@@";
enum { DIGITS = sizeof placeholder - 1 };

struct request {
  size_t size;
  char *digits, bytes[REQUEST];
};

struct connection {
  int fd, is_busy, is_connected;
  size_t at, used;
  uint64_t free_since;
  char input[INPUT];
};

struct record {
  uint32_t latency, delay;
};

static struct connection *connections;
static size_t connection_count;
/** The free connections in the order in which they became free. */
static struct connection **free_ring;
static size_t free_first, free_count;
static struct request *requests;
static size_t request_count;
static double *schedule;
static struct record *records;
static size_t count, next_to_send, ended;
static unsigned long refused, broken, waited;
static uint64_t start, next_number;
static struct sockaddr_in address;
static int poller, is_fresh;

static uint64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}

static void fail(const char *text) {
  perror(text);
  exit(1);
}

static char *read_file(const char *name, size_t *size) {
  FILE *file = name ? fopen(name, "r") : NULL;
  if (!file) fail(name ? name : "a file is missing in the environment");
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  char *text = malloc(*size + 1);
  if (fread(text, 1, *size, file) != *size) fail(name);
  text[*size] = 0;
  fclose(file);
  return text;
}

static void make_requests(void) {
  size_t body_size, tokens_size;
  char *body = read_file(getenv("BENCH_BODY"), &body_size), *tokens = read_file(getenv("BENCH_TOKENS"), &tokens_size);
  char headers[4096] = "";
  char *more = strdup(getenv("BENCH_HEADERS") ? getenv("BENCH_HEADERS") : ""), *rest = more;
  for (char *line; (line = strsep(&rest, "\n"));) {
    if (*line) strcat(strcat(headers, line), "\r\n");
  }
  size_t lines = 0;
  for (char *at = tokens; *at; at++) lines += *at == '\n';
  requests = calloc(lines + 1, sizeof *requests);
  char *line_rest = tokens;
  for (char *line; (line = strsep(&line_rest, "\n"));) {
    char *host = strsep(&line, " ");
    if (!line) continue;
    struct request *r = &requests[request_count++];
    int head = snprintf(r->bytes, REQUEST,
                        "POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n"
                        "%sContent-Length: %zu\r\n\r\n",
                        getenv("BENCH_PATH"), host, line, headers, body_size);
    if (head < 0 || (size_t)head + body_size > REQUEST) fail("a request is too large");
    memcpy(r->bytes + head, body, body_size);
    r->size = (size_t)head + body_size;
    r->digits = memmem(r->bytes + head, body_size, placeholder, DIGITS);
  }
  if (request_count == 0) fail("there are no tokens");
  const char *first = getenv("BENCH_UNIQUE");
  next_number = first ? strtoull(first, NULL, 10) : 0;
}

static void release(struct connection *c) {
  c->is_busy = 0;
  c->free_since = now_ns();
  free_ring[(free_first + free_count++) % connection_count] = c;
}

static void disconnect(struct connection *c) {
  if (c->fd >= 0) close(c->fd);
  c->fd = -1;
  c->is_connected = 0;
}

/** Without `wait`, the connection is made while others are served. */
static int open_connection(struct connection *c, int wait) {
  int on = 1;
  c->fd = socket(AF_INET, SOCK_STREAM | (wait ? 0 : SOCK_NONBLOCK), 0);
  if (c->fd < 0) fail("socket");
  setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (connect(c->fd, (struct sockaddr *)&address, sizeof address) < 0 && (wait || errno != EINPROGRESS)) return -1;
  c->is_connected = wait;
  c->used = 0;
  struct epoll_event event = {.events = wait ? EPOLLIN : EPOLLOUT, .data.ptr = c};
  if (epoll_ctl(poller, EPOLL_CTL_ADD, c->fd, &event) < 0) fail("epoll_ctl");
  return 0;
}

static void finish(struct connection *c, uint32_t latency) {
  records[c->at].latency = latency;
  ended++;
  if (is_fresh) disconnect(c);
  release(c);
}

static void lose(struct connection *c) {
  disconnect(c);
  if (!c->is_busy) return;
  broken++;
  finish(c, failed);
}

/** A request is small beside the socket's buffer, so it is sent whole or the connection is broken. */
static void write_request(struct connection *c) {
  struct request *r = &requests[c->at % request_count];
  if (r->digits) {
    char digits[DIGITS + 1];
    snprintf(digits, sizeof digits, "%012llu", (unsigned long long)(next_number++ % 1000000000000ull));
    memcpy(r->digits, digits, DIGITS);
  }
  if (send(c->fd, r->bytes, r->size, MSG_NOSIGNAL | MSG_DONTWAIT) != (ssize_t)r->size) lose(c);
}

static void begin(struct connection *c, uint64_t due) {
  uint64_t now = now_ns(), possible = due > c->free_since ? due : c->free_since;
  waited += c->free_since > due;
  records[next_to_send].delay = (uint32_t)((now - possible) / 1000);
  c->at = next_to_send++;
  c->is_busy = 1;
  if (c->fd < 0 && open_connection(c, !is_fresh) < 0) return lose(c);
  if (c->is_connected) write_request(c);
}

static void send_due(void) {
  while (next_to_send < count && free_count > 0) {
    uint64_t due = start + (uint64_t)schedule[next_to_send];
    if (due > now_ns()) return;
    struct connection *c = free_ring[free_first];
    free_first = (free_first + 1) % connection_count;
    free_count--;
    begin(c, due);
  }
}

static const char *find_header(const char *head, const char *end, const char *name) {
  size_t size = strlen(name);
  for (const char *line = memchr(head, '\n', (size_t)(end - head)); line && line + 1 < end;
       line = memchr(line + 1, '\n', (size_t)(end - line - 1))) {
    if (strncasecmp(line + 1, name, size) == 0) return line + 1 + size;
  }
  return NULL;
}

static int is_whole(const struct connection *c) {
  const char *end = memmem(c->input, c->used, "\r\n\r\n", 4);
  if (!end) return 0;
  size_t there = (size_t)(c->input + c->used - end - 4);
  const char *length = find_header(c->input, end + 2, "content-length:");
  if (length) return there >= strtoul(length, NULL, 10);
  return there >= 5 && memcmp(c->input + c->used - 5, "0\r\n\r\n", 5) == 0;
}

static void take(struct connection *c) {
  for (;;) {
    ssize_t n = recv(c->fd, c->input + c->used, INPUT - c->used, MSG_DONTWAIT);
    if (n < 0 && errno == EAGAIN) return;
    if (n <= 0 || !c->is_busy) return lose(c);
    c->used += (size_t)n;
    if (is_whole(c)) break;
  }
  uint64_t due = start + (uint64_t)schedule[c->at];
  int is_good = c->used > 9 && c->input[9] == '2';
  refused += !is_good;
  c->used = 0;
  finish(c, is_good ? (uint32_t)((now_ns() - due) / 1000) : failed);
}

static void handle(struct epoll_event *event) {
  struct connection *c = event->data.ptr;
  if (c->fd < 0) return;
  if (c->is_connected) return take(c);
  int error = 0;
  socklen_t size = sizeof error;
  getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &error, &size);
  if (error) return lose(c);
  struct epoll_event read = {.events = EPOLLIN, .data.ptr = c};
  epoll_ctl(poller, EPOLL_CTL_MOD, c->fd, &read);
  c->is_connected = 1;
  write_request(c);
}

/** Wakes the poll at the next departure; not at all while no connection is free. */
static void set_timer(int timer) {
  struct itimerspec at = {0};
  if (next_to_send < count && free_count > 0) {
    uint64_t due = start + (uint64_t)schedule[next_to_send];
    at.it_value.tv_sec = (time_t)(due / 1000000000ull);
    at.it_value.tv_nsec = (long)(due % 1000000000ull);
  }
  timerfd_settime(timer, TFD_TIMER_ABSTIME, &at, NULL);
}

static void run(void) {
  int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
  struct epoll_event alarm = {.events = EPOLLIN, .data.ptr = NULL}, events[EVENTS];
  epoll_ctl(poller, EPOLL_CTL_ADD, timer, &alarm);
  start = now_ns() + 1000000;
  uint64_t deadline = start + (uint64_t)schedule[count - 1] + grace_ns;
  while (ended < count && now_ns() < deadline) {
    send_due();
    set_timer(timer);
    int found = epoll_wait(poller, events, EVENTS, 100);
    for (int i = 0; i < found; i++) {
      if (events[i].data.ptr) handle(&events[i]);
    }
  }
}

int main(int argc, char **argv) {
  if (argc != 6) {
    fprintf(stderr, "usage: open-load PORT CONNECTIONS SCHEDULE RECORDS kept|fresh\n");
    return 1;
  }
  size_t size;
  address = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  address.sin_port = htons((uint16_t)atoi(argv[1]));
  connection_count = strtoul(argv[2], NULL, 10);
  schedule = (double *)(void *)read_file(argv[3], &size);
  count = size / sizeof *schedule;
  is_fresh = strcmp(argv[5], "fresh") == 0;
  if (connection_count == 0 || count == 0) fail("nothing to send");
  make_requests();
  records = malloc(count * sizeof *records);
  memset(records, 0xff, count * sizeof *records);
  connections = calloc(connection_count, sizeof *connections);
  free_ring = calloc(connection_count, sizeof *free_ring);
  poller = epoll_create1(0);
  for (size_t i = 0; i < connection_count; i++) {
    connections[i].fd = -1;
    if (!is_fresh && open_connection(&connections[i], 1) < 0) fail("connect");
    release(&connections[i]);
  }
  run();
  FILE *file = fopen(argv[4], "w");
  if (!file || fwrite(records, sizeof *records, count, file) != count || fclose(file) != 0) fail(argv[4]);
  printf("RESULT {\"requests\":%zu,\"refused\":%lu,\"broken\":%lu,\"unanswered\":%zu,\"waited\":%lu}\n", count, refused,
         broken, count - ended, waited);
}
