// decoding.js: random numbers and truncated distributions of a page on generated text as tensor/rng.c and nn/decode compute
// them, in the same order of operations and in double, so that the page and the C program draw the same tokens.

// ---- random numbers: tensor/rng.c ---------------------------------------------------------------

// The halves [high, low] of the 64-bit product of two 32-bit numbers.
function product(a, b) {
    const low = (a & 0xffff) * (b & 0xffff), across = (a >>> 16) * (b & 0xffff), over = (a & 0xffff) * (b >>> 16);
    const middle = across + over + Math.floor(low / 65536);
    return [((a >>> 16) * (b >>> 16) + Math.floor(middle / 65536)) >>> 0, Math.imul(a, b) >>> 0];
}

// Philox4x32-10: four random 32-bit numbers, a function of counter and key.
function philox(counter, key) {
    let [c0, c1, c2, c3] = counter, [k0, k1] = key;
    for (let round = 0; round < 10; round++) {
        const [high0, low0] = product(0xD2511F53, c0), [high1, low1] = product(0xCD9E8D57, c2);
        [c0, c1, c2, c3] = [(high1 ^ c1 ^ k0) >>> 0, low1, (high0 ^ c3 ^ k1) >>> 0, low0];
        k0 = (k0 + 0x9E3779B9) >>> 0;
        k1 = (k1 + 0xBB67AE85) >>> 0;
    }
    return [c0, c1, c2, c3];
}

// A sequence of random numbers: number n is a function of (seed, stream, n). The three may be BigInt.
class Rng {
    constructor(seed, stream = 0, position = 0) {
        const halves = n => [Number(BigInt(n) & 0xffffffffn), Number(BigInt(n) >> 32n & 0xffffffffn)];
        this.key = halves(seed);
        this.stream = halves(stream);
        this.position = Number(position);
        this.block = -1; // the block whose four words are known
        this.words = null;
    }
    bits() {
        const block = Math.floor(this.position / 4), word = this.position % 4;
        this.position++;
        if (block !== this.block) {
            this.block = block;
            this.words = philox([block >>> 0, Math.floor(block / 2 ** 32), ...this.stream], this.key);
        }
        return this.words[word];
    }
    // In [0, 1), in steps of 2^-53.
    uniform() {
        const low = this.bits(), high = this.bits();
        return (high * 2 ** 21 + (low >>> 11)) * 2 ** -53;
    }
}

// ---- distributions: nn/decode/sample.c ----------------------------------------------------------

// Tokens by descending logit, among equals by ascending token.
function orderOf(logits) {
    return Uint32Array.from(logits.keys()).sort((a, b) => logits[b] - logits[a] || a - b);
}

// Where different logits have one probability (rounded, or 0), their tokens ascend.
function sortEquals({p, token}) {
    for (let i = 0; i < p.length;) {
        let end = i + 1;
        while (end < p.length && p[end] === p[i]) end++;
        if (end > i + 1) token.subarray(i, end).sort();
        i = end;
    }
}

// Keeps the first `count` tokens and divides by their sum.
function keep(list, count) {
    let sum = 0;
    for (let i = 0; i < count; i++) sum += list.p[i];
    return {count, p: list.p.subarray(0, count).map(p => p / sum), token: list.token.subarray(0, count)};
}

// Temperature, then top-k, then top-p: {count, p, token}, by descending p and among equals by ascending token. order is
// orderOf(logits), which a caller may keep.
function distribution(logits, temperature, topK, topP, order = orderOf(logits)) {
    const maximum = logits[order[0]], whole = {p: new Float64Array(order.length), token: order.slice()};
    for (let i = 0; i < order.length; i++) {
        const below = logits[order[i]] - maximum; // 0 for the largest, at any temperature
        whole.p[i] = below < 0 ? Math.exp(below / temperature) : 1;
    }
    sortEquals(whole);
    let list = keep(whole, order.length);
    if (topK < list.count) list = keep(list, topK);
    if (topP < 1) {
        let nucleus = 0;
        for (let sum = 0; nucleus < list.count && sum < topP; nucleus++) sum += list.p[nucleus];
        list = keep(list, nucleus);
    }
    return list;
}

// The position in the list of the token whose piece of [0, 1) contains u.
function drawn(list, u) {
    for (let i = 0, sum = 0; i < list.count; i++)
        if (u < (sum += list.p[i])) return i;
    return 0; // u lies between the sum, rounded to less than 1, and 1
}

// Shannon's entropy in nats.
function entropy(list) {
    return list.p.reduce((sum, p) => p > 0 ? sum - p * Math.log(p) : sum, 0);
}
