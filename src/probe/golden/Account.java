package org.example.bank;

import java.math.BigDecimal;
import java.util.*;

/** An account. */
@Entity
public class Account implements Comparable<Account> {
    private BigDecimal balance;

    public Account(BigDecimal balance) {
        this.balance = balance;
    }

    @Override
    public int compareTo(Account other) {
        return balance.compareTo(other.balance);
    }

    public static class Builder {
        public Account build() { return null; }
    }
}

interface Audit { void record(String event); }
