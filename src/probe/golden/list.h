#ifndef LIST_H
#define LIST_H

#include <stddef.h>
#include "node.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LIST_MAX 16
#define LIST_EACH(n, l) for (n = (l)->head; n; n = n->next)

typedef struct list {
    struct node *head;
    size_t length;
} list_t;

enum list_order { ASCENDING, DESCENDING };

extern const char *list_version;
list_t *list_new(void);
void list_sort(list_t *list, int (*compare)(const void *, const void *));

#ifdef __cplusplus
}
#endif
#endif
