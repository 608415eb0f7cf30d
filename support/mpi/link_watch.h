/* The end of a run that has lost a host. TCP alone waits a quarter of an hour for a link that was
 * cut, or for ever where nothing is being sent, and so do MPI and its launcher. */
#ifndef BERYL_SUPPORT_LINK_WATCH_H
#define BERYL_SUPPORT_LINK_WATCH_H

/* Starts a thread, which makes no MPI call and lives as long as the process. It lets TCP probe
 * each idle connection of this process to another host, also those made later, and when a host has
 * not answered for 30 s names it on standard error, ends the process by SIGTERM and, as it would
 * wait for that host, the launcher that started the process: mpirun or its daemon on this node. */
void link_watch_start(void);

#endif
