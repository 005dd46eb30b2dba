// SHA-256 of what arrives, piece by piece: FIPS 180-4. WebCrypto has no such call, and takes no
// shared memory.

#include <stdint.h>

#define EXPORT(name) __attribute__((export_name(#name))) name

enum { BLOCK = 64 };

static struct {
    uint32_t words[8];
    uint64_t count; // bytes so far
    uint8_t rest[BLOCK];
} hash;

// The first 32 bits of the fractions of the cube roots of the first 64 primes.
static const uint32_t ROUNDS[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t turned(uint32_t word, int by) { return word >> by | word << (32 - by); }

static uint32_t word_at(const uint8_t *at) {
    return (uint32_t)at[0] << 24 | at[1] << 16 | at[2] << 8 | at[3];
}

static void take_block(const uint8_t *block) {
    uint32_t w[64], s[8];
    for (int i = 0; i < 16; i++) w[i] = word_at(block + 4 * i);
    for (int i = 16; i < 64; i++) {
        uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + (turned(a, 7) ^ turned(a, 18) ^ a >> 3) + w[i - 7] +
               (turned(b, 17) ^ turned(b, 19) ^ b >> 10);
    }
    __builtin_memcpy(s, hash.words, sizeof s);
    for (int i = 0; i < 64; i++) {
        uint32_t a = s[0], e = s[4];
        uint32_t first = s[7] + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) +
                         ((e & s[5]) ^ (~e & s[6])) + ROUNDS[i] + w[i];
        uint32_t second = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) +
                          ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
        for (int k = 7; k > 0; k--) s[k] = s[k - 1];
        s[4] += first;
        s[0] = first + second;
    }
    for (int i = 0; i < 8; i++) hash.words[i] += s[i];
}

void EXPORT(hash_begin)(void) {
    // The first 32 bits of the fractions of the square roots of the first eight primes.
    static const uint32_t BEGINNING[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                          0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    __builtin_memcpy(hash.words, BEGINNING, sizeof BEGINNING);
    hash.count = 0;
}

void EXPORT(hash_take)(const uint8_t *bytes, uint32_t size) {
    uint32_t held = hash.count % BLOCK;
    hash.count += size;
    if (held) {
        uint32_t wanted = BLOCK - held < size ? BLOCK - held : size;
        __builtin_memcpy(hash.rest + held, bytes, wanted);
        bytes += wanted, size -= wanted;
        if (held + wanted < BLOCK) return;
        take_block(hash.rest);
    }
    for (; size >= BLOCK; bytes += BLOCK, size -= BLOCK) take_block(bytes);
    __builtin_memcpy(hash.rest, bytes, size);
}

// Writes the 32 bytes of the digest; `hash_begin` comes before the next.
void EXPORT(hash_end)(uint8_t *digest) {
    uint32_t held = hash.count % BLOCK;
    uint64_t bits = hash.count * 8;
    hash.rest[held++] = 0x80;
    if (held > BLOCK - 8) {
        __builtin_memset(hash.rest + held, 0, BLOCK - held);
        take_block(hash.rest);
        held = 0;
    }
    __builtin_memset(hash.rest + held, 0, BLOCK - 8 - held);
    for (int i = 0; i < 8; i++) hash.rest[BLOCK - 1 - i] = (uint8_t)(bits >> 8 * i);
    take_block(hash.rest);
    for (int i = 0; i < 32; i++) digest[i] = (uint8_t)(hash.words[i / 4] >> (24 - i % 4 * 8));
}
