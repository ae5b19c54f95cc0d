// What a simulation by events needs: a clock, numbers from a seed, servers with a line before them, and the log of a database.

/** Runs what is due in order of time; what is due at once in the order in which it was asked for. */
export function createClock() {
  const heap = [];
  let asked = 0;
  let isStopped = false;
  const clock = {
    now: 0,
    events: 0,
    in(ms, work) {
      push({ time: clock.now + ms, order: asked++, work });
    },
    /** Until nothing is left, somebody calls `stop`, or that time has come. */
    run(until = Number.POSITIVE_INFINITY) {
      isStopped = false;
      while (!isStopped && heap.length > 0 && heap[0].time <= until) {
        const { time, work } = pop();
        clock.now = time;
        clock.events++;
        work();
      }
      if (!isStopped && until !== Number.POSITIVE_INFINITY) clock.now = until;
    },
    stop() {
      isStopped = true;
    },
  };
  const isBefore = (a, b) => a.time < b.time || (a.time === b.time && a.order < b.order);
  function push(event) {
    let at = heap.push(event) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!isBefore(event, heap[above])) break;
      heap[at] = heap[above];
      at = above;
    }
    heap[at] = event;
  }
  function pop() {
    const first = heap[0];
    const last = heap.pop();
    const size = heap.length;
    if (size === 0) return first;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= size) break;
      if (below + 1 < size && isBefore(heap[below + 1], heap[below])) below++;
      if (!isBefore(heap[below], last)) break;
      heap[at] = heap[below];
      at = below;
    }
    heap[at] = last;
    return first;
  }
  return clock;
}

/** How far waits for a model are scattered. */
const SPREAD = 0.8;

/** The same seed gives the same numbers. */
export function createRandom(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let x = state;
    x = Math.imul(x ^ (x >>> 15), x | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
  };
  const exponential = (mean) => -mean * Math.log(1 - next());
  const logNormal = (middle, spread) => {
    const normal = Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
    return middle * Math.exp(spread * normal);
  };
  return {
    next,
    exponential,
    /** Never below half of the mean: a statement has a least of work, and a tail. */
    around: (mean) => mean / 2 + exponential(mean / 2),
    /** Most are near the middle, some take many times as long: waiting for a model. */
    skewed: (mean) => logNormal(mean * Math.exp(-(SPREAD * SPREAD) / 2), SPREAD),
    /** The same, as often as it is long. */
    skewedByLength: (mean) => logNormal(mean * Math.exp((SPREAD * SPREAD) / 2), SPREAD),
  };
}

/** So many at a time; who comes later waits in line. */
export function createServers(clock, count) {
  const line = createLine();
  let free = count;
  const servers = {
    busyMs: 0,
    count,
    get waiting() {
      return line.length;
    },
    /** The work lasts so long; its length is asked for when it begins. */
    use(length, then) {
      line.push([length, then]);
      if (free > 0) begin();
    },
  };
  function begin() {
    const [length, then] = line.shift();
    free--;
    const ms = length();
    clock.in(ms, () => {
      servers.busyMs += ms;
      free++;
      if (line.length > 0) begin();
      then();
    });
  }
  return servers;
}

/** Places that are kept until they are given back: connections, slots. */
export function createPlaces(count) {
  const line = createLine();
  let free = count;
  return {
    get waiting() {
      return line.length;
    },
    take(then) {
      if (free > 0) {
        free--;
        then();
      } else line.push(then);
    },
    giveBack() {
      if (line.length > 0) line.shift()();
      else free++;
    },
  };
}

/** The log of a database: one write to the disk at a time. Whatever came while one was under way shares the next one. A standby that has to answer adds its time to a commit, not to the disk's. */
export function createLog(clock, flushMs, { bytesMs, standbyMs }) {
  let waiting = [];
  let bytes = 0;
  let isBusy = false;
  const log = {
    commits: 0,
    flushes: 0,
    bytes: 0,
    /** What does not wait for the disk is written by the next flush all the same. */
    write(size) {
      log.commits++;
      log.bytes += size;
      bytes += size;
    },
    commit(size, then) {
      log.write(size);
      waiting.push(then);
      if (!isBusy) flush();
    },
  };
  function flush() {
    isBusy = true;
    const group = waiting;
    const ms = flushMs() + bytes * bytesMs;
    waiting = [];
    bytes = 0;
    log.flushes++;
    clock.in(ms, () => {
      isBusy = false;
      for (const then of group)
        if (standbyMs > 0) clock.in(standbyMs, then);
        else then();
      if (waiting.length > 0 && !isBusy) flush();
    });
  }
  return log;
}

/** First in, first out, without moving everybody each time. */
export function createLine() {
  let items = [];
  let head = 0;
  return {
    get length() {
      return items.length - head;
    },
    push: (item) => void items.push(item),
    shift() {
      const item = items[head];
      items[head++] = undefined;
      if (head > 1024 && head * 2 > items.length) {
        items = items.slice(head);
        head = 0;
      }
      return item;
    },
  };
}

/** How many there are, over time: its mean, and the most. */
export function createGauge(clock) {
  let value = 0;
  let area = 0;
  let since = clock.now;
  let began = clock.now;
  const settle = () => {
    area += value * (clock.now - since);
    since = clock.now;
  };
  const gauge = {
    most: 0,
    get value() {
      return value;
    },
    add(change) {
      settle();
      value += change;
      gauge.most = Math.max(gauge.most, value);
    },
    mean() {
      settle();
      return clock.now > began ? area / (clock.now - began) : 0;
    },
    /** What was counted while the fleet warmed up is forgotten. */
    begin() {
      settle();
      area = 0;
      began = clock.now;
      gauge.most = value;
    },
  };
  return gauge;
}
