/* Every mode with every option that changes its protocol, as typed on a command
 * line, for the simulated schedules. */
#ifndef BERYL_TESTS_PROPERTY_PROPERTY_CASES_H
#define BERYL_TESTS_PROPERTY_PROPERTY_CASES_H

static const char *const property_cases[] = {
    "--sched=static --seeding=block",
    "--sched=static --seeding=cyclic",
    "--sched=static --seeding=cost",
    "--sched=counter",
    "--sched=counter --chunk=7",
    "--sched=counter --guided",
    "--sched=share",
    "--sched=share --chunk=1 --release-every=1",
    "--sched=share --chunk=2 --release-every=5",
    "--sched=share --managers=3 --chunk=1 --release-every=1",
    "--sched=share --managers=100 --chunk=2 --release-every=2",
    "--sched=steal",
    "--sched=steal --termination=ring",
    "--sched=steal --seeding=owner",
    "--sched=steal --seeding=cyclic --chunk=3",
    "--sched=steal --steal=1",
    "--sched=steal --steal=5 --chunk=2 --termination=ring",
    "--sched=steal --victim=node",
    "--sched=retentive",
    "--sched=retentive --termination=ring",
    "--sched=retentive --chunk=4 --victim=node",
    "--sched=retentive --seeding=owner",
    "--sched=dtree",
    "--sched=dtree --fan-out=1",
    "--sched=dtree --fan-out=2 --first-share=0",
    "--sched=dtree --fan-out=3 --first-share=1",
    "--sched=dtree --fan-out=4 --drain=1 --min-grant=3",
    "--sched=dtree --fan-out=5 --drain=0.1 --first-share=0.7",
    "--sched=hybrid",
    "--sched=hybrid --group=7",
    "--sched=hybrid --group=1000 --static-fraction=0 --tasklets=3",
    "--sched=hybrid --static-fraction=0.3 --skew --seeding=owner",
    "--sched=hybrid --group=16 --static-fraction=0 --no-locality --skew --tasklets=4",
    "--sched=hybrid --group=5 --static-fraction=1",
    "--sched=hybrid --no-locality --seeding=cyclic --tasklets=1",
    "--sched=persist",
    "--sched=persist --balancer=central",
    "--sched=persist --branching=2",
    "--sched=persist --branching=7 --fill-to=1.5 --seeding=owner",
    "--sched=persist --donate-above=1 --fill-to=1 --termination=ring",
    "--sched=persist --donate-above=2 --fill-to=1",
    "--sched=persist --balancer=central --donate-above=1 --seeding=cyclic",
    "--sched=persist --balance-over=0.5 --termination=ring",
    "--sched=auto",
    "--sched=auto --seeding=cost",
    "--sched=auto --termination=ring --seeding=owner",
    "--sched=auto --chunk=3 --victim=node",
};

enum { n_property_cases = sizeof property_cases / sizeof property_cases[0] };

#endif
