/* SPDX-License-Identifier: BSD-3-Clause */
/* A network that delays: makes one TUN interface per name and copies each IPv4 packet, after a
 * time, to the interface whose position is the last byte of the packet's address, less one.
 *
 *     delay_relay MILLISECONDS NAME...
 *
 * Prints "ready" when the interfaces are there; another process then moves them to the hosts. For
 * kernels without netem. Order is kept and nothing is lost. Copying limits the bandwidth:
 * interfaces carry packets of up to 65,520 bytes. Runs until it is killed. */
#include <err.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MAX_HOSTS = 64, MTU = 65520, ADDRESS_END = 19 };

struct packet {
    struct packet *next;
    int64_t due_ns;
    int destination;
    ssize_t size;
    unsigned char bytes[];
};

/* Packets under way, in the order of their arrival and so of their times. */
struct wire {
    struct packet *first, **end;
    int64_t delay_ns;
};

static int64_t clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static int open_interface(const char *name)
{
    struct ifreq request = {.ifr_flags = IFF_TUN | IFF_NO_PI};
    int tun = open("/dev/net/tun", O_RDWR | O_NONBLOCK);
    int any = socket(AF_INET, SOCK_DGRAM, 0);
    snprintf(request.ifr_name, sizeof request.ifr_name, "%s", name);
    if (tun < 0 || ioctl(tun, TUNSETIFF, &request) < 0)
        err(1, "/dev/net/tun: %s", name);
    request.ifr_mtu = MTU;
    if (ioctl(any, SIOCSIFMTU, &request) < 0)
        err(1, "%s: MTU", name);
    close(any);
    return tun;
}

/* Takes what an interface has. */
static void take_packets(struct wire *wire, int tun, int n_hosts)
{
    static unsigned char bytes[MTU];
    ssize_t size;
    while ((size = read(tun, bytes, sizeof bytes)) > 0) {
        int destination = bytes[ADDRESS_END] - 1;
        struct packet *packet;
        /* No host: IPv6's search for neighbours, and other calls to all. */
        if (size <= ADDRESS_END || bytes[0] >> 4 != 4 || destination >= n_hosts || destination < 0)
            continue;
        if (!(packet = malloc(sizeof *packet + (size_t)size)))
            err(1, "packet");
        *packet = (struct packet){
            .due_ns = clock_ns() + wire->delay_ns, .destination = destination, .size = size};
        memcpy(packet->bytes, bytes, (size_t)size);
        *wire->end = packet;
        wire->end = &packet->next;
    }
}

/* Gives what is due; an interface that is down drops it, as a cable does. Returns the time of the
 * next packet, or of never. */
static int64_t give_packets(struct wire *wire, const struct pollfd *hosts)
{
    while (wire->first && wire->first->due_ns <= clock_ns()) {
        struct packet *packet = wire->first;
        ssize_t given = write(hosts[packet->destination].fd, packet->bytes, (size_t)packet->size);
        (void)given;
        if (!(wire->first = packet->next))
            wire->end = &wire->first;
        free(packet);
    }
    return wire->first ? wire->first->due_ns : INT64_MAX;
}

int main(int argc, char **argv)
{
    struct pollfd hosts[MAX_HOSTS];
    int n_hosts = argc - 2;
    struct wire wire = {.end = &wire.first};
    if (n_hosts < 1 || n_hosts > MAX_HOSTS)
        errx(2, "usage: delay_relay MILLISECONDS NAME...");
    wire.delay_ns = (int64_t)(strtod(argv[1], NULL) * 1e6);
    /* Waking late would be a longer delay. */
    prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
    setpriority(PRIO_PROCESS, 0, -15);
    for (int i = 0; i < n_hosts; i++)
        hosts[i] = (struct pollfd){.fd = open_interface(argv[i + 2]), .events = POLLIN};
    puts("ready");
    fflush(stdout);
    fclose(stdout);
    for (;;) {
        int64_t due_ns = give_packets(&wire, hosts), left_ns = due_ns - clock_ns();
        struct timespec left = {left_ns > 0 ? left_ns / 1000000000 : 0,
                                left_ns > 0 ? left_ns % 1000000000 : 0};
        if (ppoll(hosts, (nfds_t)n_hosts, due_ns < INT64_MAX ? &left : NULL, NULL) < 0)
            err(1, "ppoll");
        for (int i = 0; i < n_hosts; i++)
            if (hosts[i].revents & POLLIN)
                take_packets(&wire, hosts[i].fd, n_hosts);
    }
}
